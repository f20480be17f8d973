import type { Db } from 'mongodb';
import { z } from 'zod';
import type { SharingHistory, SharingHistoryEntry } from '../../../domain/authorized-orgs/ports.ts';
import { SHARING_CHANGES } from '../../../domain/catalog/service.ts';
import { REPO_ROLES } from '../../../domain/repo-role.ts';
import { insertOnce, mongoCall } from '../connect.ts';
import { pageById } from '../page-by-id.ts';
import { serviceHistory } from '../service-history.ts';
import { COLLECTIONS } from './indexes.ts';

interface HistoryDocument extends Omit<SharingHistoryEntry, 'id'> {
  readonly _id: string;
  /** Of a change that took an org out, until all is taken from it. */
  readonly takenOut?: number;
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

const unfinishedSchema = z.object({ serviceId: z.string(), org: z.string(), takenOut: z.int() });

/** Who let which org share a service, in MongoDB: one document a change. */
export function createSharingHistory({ db }: { db: Db }): SharingHistory {
  const collection = db.collection<HistoryDocument>(COLLECTIONS.history);
  return {
    async add({ id, ...entry }, takenOut) {
      await insertOnce(collection, id, takenOut === undefined ? { ...entry } : { ...entry, takenOut });
    },
    listUnfinished: (page) =>
      pageById(collection, {
        ...{ page, filter: { takenOut: { $exists: true } } },
        read: (document) => unfinishedSchema.parse(document),
      }),
    async finish({ serviceId, org, takenOut }) {
      await mongoCall(() =>
        collection.updateMany({ serviceId, org, takenOut: { $lte: takenOut } }, { $unset: { takenOut: '' } }),
      );
    },
    ...serviceHistory(collection, readEntry),
  };
}

function readEntry(document: unknown): SharingHistoryEntry {
  const { _id, ...rest } = entrySchema.parse(document);
  return { id: _id, ...rest };
}
