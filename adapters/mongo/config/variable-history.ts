import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import type { VariableHistory, VariableHistoryEntry } from '../../../domain/config/variable-history.ts';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import { insertOnce, mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { COLLECTIONS } from './indexes.ts';

interface HistoryDocument extends Omit<VariableHistoryEntry, 'id'> {
  readonly _id: string;
}

const names = z.array(z.string());
const entrySchema = z.object({
  _id: z.string(),
  serviceId: z.string(),
  environment: z.enum(ENVIRONMENTS).nullable(),
  changedBy: z.string(),
  at: z.date(),
  set: names,
  setSecret: names,
  unset: names,
  made: z.boolean(),
});

/** Who changed which variables, in MongoDB: one document a change. */
export function createVariableHistory({ db }: { db: Db }): VariableHistory {
  const collection = db.collection<HistoryDocument>(COLLECTIONS.history);
  return {
    async begin({ id, ...entry }) {
      await insertOnce(collection, id, { ...entry, made: false });
    },
    async confirm(id) {
      await mongoCall(() => collection.updateOne({ _id: id }, { $set: { made: true } }));
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

function readEntry(document: unknown): VariableHistoryEntry {
  const { _id, ...rest } = entrySchema.parse(document);
  return { id: _id, ...rest };
}
