import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import type { SharingHistory, SharingHistoryEntry } from '../../../domain/authorized-orgs/ports.ts';
import { SHARING_CHANGES } from '../../../domain/catalog/service.ts';
import { REPO_ROLES } from '../../../domain/repo-role.ts';
import { insertOnce, mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { COLLECTIONS } from './indexes.ts';

interface HistoryDocument extends Omit<SharingHistoryEntry, 'id'> {
  readonly _id: string;
}

const entrySchema = z.object({
  _id: z.string(),
  serviceId: z.string(),
  kind: z.enum(SHARING_CHANGES),
  org: z.string(),
  repoRole: z.enum(REPO_ROLES).nullable(),
  by: z.string(),
  at: z.date(),
});

/** Who let which org share a service, in MongoDB: one document a change. */
export function createSharingHistory({ db }: { db: Db }): SharingHistory {
  const collection = db.collection<HistoryDocument>(COLLECTIONS.history);
  return {
    async add({ id, ...entry }) {
      await insertOnce(collection, id, { ...entry });
    },
    async list(serviceId, { cursor, limit }) {
      const before = decodeCursor(cursor, timeAndId);
      const filter = { serviceId, ...olderThan('at', before) } as Filter<HistoryDocument>;
      const documents = await mongoCall(() =>
        collection
          .find(filter)
          .sort({ at: -1, _id: -1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readEntry), limit, (entry) => [entry.at.getTime(), entry.id]);
    },
    async removeService(serviceId) {
      await mongoCall(() => collection.deleteMany({ serviceId }));
    },
  };
}

function readEntry(document: unknown): SharingHistoryEntry {
  const { _id, ...rest } = entrySchema.parse(document);
  return { id: _id, ...rest };
}
