import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import type { ReconcileRecord } from '../../../domain/monitors/plan-reconcile.ts';
import type { ReconcileMemory } from '../../../domain/monitors/ports.ts';
import { mongoCall } from '../connect.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';

const recordSchema = z.object({ count: z.int().nullable(), refusedSince: z.date().nullable() });

/** What the last reconcile left, in MongoDB: one document a list. */
export function createReconcileMemory({ db }: { readonly db: Db }): ReconcileMemory {
  const collection: Collection<ReconcileRecord & { readonly _id: string }> = db.collection(COLLECTIONS.reconciles);
  return {
    async read(list) {
      const document = await mongoCall(() => collection.findOne({ _id: list }));
      return document === null ? null : readDocument('reconcile of monitors', recordSchema, document);
    },
    async write(list, record) {
      await mongoCall(() => collection.replaceOne({ _id: list }, { ...record }, { upsert: true }));
    },
  };
}
