import type { Db } from 'mongodb';
import type { ReleaseStore } from '../../../domain/deploys/ports.ts';
import type { Release } from '../../../domain/deploys/release.ts';
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
    async allActive() {
      const documents = await mongoCall(() =>
        collection
          .aggregate([
            { $match: EVER_ACTIVE },
            { $sort: NEWEST },
            { $group: { _id: { service: '$service', environment: '$environment' }, release: { $first: '$$ROOT' } } },
          ])
          .toArray(),
      );
      return documents.map((document) => readRelease(document.release));
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

function cursorKey(release: Release): readonly [number, string] {
  return [release.activatedAt?.getTime() ?? 0, release.id];
}
