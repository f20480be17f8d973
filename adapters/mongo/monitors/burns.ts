import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import { BURN_ALERT_NAMES, type BurnState } from '../../../domain/monitors/objective.ts';
import type { BurnStore } from '../../../domain/monitors/ports.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';

const stateSchema = z.object({
  _id: z.string(),
  active: z.array(z.object({ alert: z.enum(BURN_ALERT_NAMES), since: z.date() })),
  since: z.date().optional(),
  untold: z.object({ event: z.enum(['burning', 'steady']), at: z.date(), since: z.date().optional() }).nullable(),
  revision: z.int(),
});

type BurnDocument = Omit<BurnState, 'monitorId'> & { readonly _id: string };

/** Alerts on error budgets, in MongoDB: one document a monitor that ever had one. */
export function createBurnStore({ db }: { readonly db: Db }): BurnStore {
  const collection: Collection<BurnDocument> = db.collection<BurnDocument>(COLLECTIONS.burns);
  return {
    async find(monitorIds) {
      const documents = await mongoCall(() => collection.find({ _id: { $in: [...monitorIds] } }).toArray());
      return new Map(documents.map(readBurn).map((state) => [state.monitorId, state] as const));
    },
    async write({ monitorId, ...state }) {
      if (state.revision > 1) {
        const before = { _id: monitorId, revision: state.revision - 1 };
        return (await mongoCall(() => collection.replaceOne(before, state))).matchedCount === 1;
      }
      try {
        await mongoCall(() => collection.insertOne({ _id: monitorId, ...state }));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async remove(monitorId) {
      await mongoCall(() => collection.deleteOne({ _id: monitorId }));
    },
  };
}

function readBurn(document: unknown): BurnState {
  const { _id: monitorId, ...state } = readDocument('alert on an error budget', stateSchema, document);
  return { monitorId, ...state };
}
