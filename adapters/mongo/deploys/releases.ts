import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import type { DeployTarget } from '../../../domain/deploys/build-store.ts';
import { epochIsOver } from '../../../domain/deploys/epoch.ts';
import type { Release } from '../../../domain/deploys/release.ts';
import type { ReleaseStore } from '../../../domain/deploys/release-store.ts';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { insertOnce, mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, toPage } from '../cursor.ts';
import { pageById } from '../page-by-id.ts';
import { sealedReplacement } from '../sealed-secret-schema.ts';
import { readRelease } from './documents.ts';
import { COLLECTIONS } from './indexes.ts';

interface ReleaseDocument {
  readonly _id: string;
  readonly activatedAt?: Date;
  /** Of the last activation; absent where version 0.1 activated it. */
  readonly epoch?: number;
  /** The last epoch in which it may not be activated any more. */
  readonly withdrawnEpoch?: number;
  readonly [field: string]: unknown;
}

/** Activations without an epoch are of version 0.1, and older than all others. */
const NEWEST = { epoch: -1, activatedAt: -1, _id: -1 } as const;
const NO_EPOCH = -1;
const EVER_ACTIVE = { activatedAt: { $exists: true } } as const;

/** Cursor key of lists of releases: epoch, time of activation, id. */
const activation = z.tuple([z.number(), z.int(), z.string().max(100)]);
/** Cursor key of lists of targets. */
const serviceAndEnvironment = z.tuple([z.string().max(100), z.string().max(100)]);
const targetSchema = z.object({ service: z.string(), environment: z.enum(ENVIRONMENTS) });

/**
 * Releases in MongoDB. The active one of a service and environment is the one activated in the newest epoch: no flag to
 * keep true, and a late activation of an older epoch makes no difference.
 */
export function createReleaseStore(deps: { db: Db }): ReleaseStore {
  const collection = deps.db.collection<ReleaseDocument>(COLLECTIONS.releases);
  const found = deps.db.collection<{ _id: string; foundFolders: string[] }>(COLLECTIONS.releases);
  return {
    async put({ id, activatedAt, epoch, installedBy, ...fields }) {
      const known = Object.entries({ activatedAt, epoch, installedBy }).filter(([, value]) => value !== null);
      const document = { ...fields, ...Object.fromEntries(known) };
      await insertOnce(collection, id, document);
    },
    async find(id) {
      const document = await mongoCall(() => collection.findOne({ _id: id }));
      return document === null ? null : readRelease(document);
    },
    async setHealthEndpoint(id, healthEndpoint) {
      await mongoCall(() => collection.updateOne({ _id: id }, { $set: { healthEndpoint } }));
    },
    async setListener(id, { port, portRule, onLoopback }) {
      await mongoCall(() => collection.updateOne({ _id: id }, { $set: { port, portRule, onLoopback } }));
    },
    async addFoundFolder(id, folder) {
      await mongoCall(() => found.updateOne({ _id: id }, { $addToSet: { foundFolders: folder } }));
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
    async activate(id, { at, epoch, buildId }) {
      const isNewer = { $and: [notSince('epoch', epoch), notSince('withdrawnEpoch', epoch)] };
      const change = { $set: { activatedAt: at, epoch, installedBy: buildId } };
      const result = await mongoCall(() => collection.updateOne({ _id: id, ...isNewer }, change));
      if (result.matchedCount === 1) return;
      const known = await mongoCall(() => collection.findOne({ _id: id }));
      if (known === null) throw new FairleadError('RELEASE_NOT_FOUND', `No release has the id ${id}`);
      if ((known.epoch ?? NO_EPOCH) < epoch) throw epochIsOver(targetSchema.parse(known), epoch);
    },
    async withdraw(id, epoch) {
      // Not with an activation of that epoch: of the two writes, one finds the other's.
      const result = await mongoCall(() =>
        collection.updateOne({ _id: id, epoch: { $ne: epoch } }, { $max: { withdrawnEpoch: epoch } }),
      );
      if (result.matchedCount === 1) return true;
      return (await mongoCall(() => collection.countDocuments({ _id: id }, { limit: 1 }))) === 0;
    },
    async list(service, environment, { cursor, limit }) {
      const before = decodeCursor(cursor, activation);
      const condition = { $and: [{ service, environment, ...EVER_ACTIVE }, activatedBefore(before)] };
      const documents = await mongoCall(() =>
        collection
          .find(condition)
          .sort(NEWEST)
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readRelease), limit, cursorKey);
    },
    listAll: (page) => pageById(collection, { page, read: readRelease }),
    async replaceSecret(id, name, change) {
      const { condition, update } = sealedReplacement(`secrets.${name}`, change);
      return (await mongoCall(() => collection.updateOne({ _id: id, ...condition }, update))).matchedCount === 1;
    },
    async removeService({ id, name }) {
      await mongoCall(() => collection.deleteMany({ service: name, serviceId: id }));
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

type ActivationKey = readonly [epoch: number, activatedAt: number, id: string];

function cursorKey({ epoch, activatedAt, id }: Release): ActivationKey {
  return [epoch ?? NO_EPOCH, activatedAt?.getTime() ?? 0, id];
}

/** Condition for what comes after a cursor in a list with the newest activation first. */
function activatedBefore(cursor: ActivationKey | null): Record<string, unknown> {
  if (cursor === null) return {};
  const [epoch, at, id] = cursor;
  const older = olderThan('activatedAt', [at, id]);
  if (epoch === NO_EPOCH) return { $and: [{ epoch: { $exists: false } }, older] };
  return { $or: [notSince('epoch', epoch), { $and: [{ epoch }, older] }] };
}

/** Condition for documents whose epoch of that name is older, or that have none. */
function notSince(field: string, epoch: number): Record<string, unknown> {
  return { $or: [{ [field]: { $exists: false } }, { [field]: { $lt: epoch } }] };
}
