import type { Db } from 'mongodb';
import { z } from 'zod';
import type { VariableHistory, VariableHistoryEntry } from '../../../domain/config/variable-history.ts';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import { insertOnce, mongoCall } from '../connect.ts';
import { serviceHistory } from '../service-history.ts';
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
    ...serviceHistory(collection, readEntry),
  };
}

function readEntry(document: unknown): VariableHistoryEntry {
  const { _id, ...rest } = entrySchema.parse(document);
  return { id: _id, ...rest };
}
