import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import type { DeployTarget, ReleaseStore } from '../../../domain/deploys/ports.ts';
import type { Release } from '../../../domain/deploys/release.ts';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { insertOnce, mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { readRelease } from './documents.ts';
import { COLLECTIONS } from './indexes.ts';

interface ReleaseDocument {
  readonly _id: string;
  readonly activatedAt?: Date;
  readonly [field: string]: unknown;
}

const NEWEST = { activatedAt: -1, _id: -1 } as const;
const EVER_ACTIVE = { activatedAt: { $exists: true } } as const;

/** Cursor key of lists of targets. */
const serviceAndEnvironment = z.tuple([z.string().max(100), z.string().max(100)]);
const targetSchema = z.object({ service: z.string(), environment: z.enum(ENVIRONMENTS) });

/** Releases in MongoDB. The active one of a service and environment is the one activated last: no flag to keep true. */
export function createReleaseStore(deps: { db: Db }): ReleaseStore {
  const collection = deps.db.collection<ReleaseDocument>(COLLECTIONS.releases);
  return {
    async put({ id, activatedAt, ...fields }) {
      const document = { ...fields, ...(activatedAt === null ? {} : { activatedAt }) };
      await insertOnce(collection, id, document);
    },
    async find(id) {
      const document = await mongoCall(() => collection.findOne({ _id: id }));
      return document === null ? null : readRelease(document);
    },
    async active(service, environment) {
      const filter = { service, environment, ...EVER_ACTIVE };
      const document = await mongoCall(() => collection.findOne(filter, { sort: NEWEST }));
      return document === null ? null : readRelease(document);
    },
    async listTargets({ cursor, limit }) {
      const targets: DeployTarget[] = [];
      let last: readonly [string, string] | null = decodeCursor(cursor, serviceAndEnvironment);
      while (targets.length <= limit) {
        const found = await targetsAfter(collection, last, limit);
        const end = found.at(-1);
        if (end === undefined) break;
        targets.push(...found);
        last = keyOfTarget(end);
      }
      return toPage(targets.slice(0, limit + 1), limit, keyOfTarget);
    },
    async activate(id, at) {
      // $max: a late repetition of an earlier activation never moves a release back in time.
      const result = await mongoCall(() => collection.updateOne({ _id: id }, { $max: { activatedAt: at } }));
      if (result.matchedCount === 0) throw new FairleadError('RELEASE_NOT_FOUND', `No release has the id ${id}`);
    },
    async list(service, environment, { cursor, limit }) {
      const before = decodeCursor(cursor, timeAndId);
      const condition = { $and: [{ service, environment, ...EVER_ACTIVE }, olderThan('activatedAt', before)] };
      const documents = await mongoCall(() =>
        collection
          .find(condition)
          .sort(NEWEST)
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readRelease), limit, cursorKey);
    },
    async removeService(service) {
      await mongoCall(() => collection.deleteMany({ service }));
    },
  };
}

/**
 * The targets of the next releases. Each query jumps over what is left of the target before, so that a service which was
 * deployed a thousand times costs one of them.
 */
async function targetsAfter(
  collection: Collection<ReleaseDocument>,
  after: readonly [string, string] | null,
  limit: number,
): Promise<readonly DeployTarget[]> {
  const known = { ...EVER_ACTIVE, environment: { $in: [...ENVIRONMENTS] } };
  const later =
    after === null
      ? {}
      : { $or: [{ service: { $gt: after[0] } }, { service: after[0], environment: { $gt: after[1] } }] };
  const documents = await mongoCall(() =>
    collection
      .find({ $and: [known, later] }, { projection: { service: 1, environment: 1 } })
      .sort({ service: 1, environment: 1 })
      .limit(limit)
      .toArray(),
  );
  const targets = documents.map((document) => targetSchema.parse(document));
  return targets.filter(({ service, environment }, index) => {
    const before = targets[index - 1];
    return before?.service !== service || before.environment !== environment;
  });
}

function keyOfTarget({ service, environment }: DeployTarget): readonly [string, string] {
  return [service, environment];
}

function cursorKey(release: Release): readonly [number, string] {
  return [release.activatedAt?.getTime() ?? 0, release.id];
}
