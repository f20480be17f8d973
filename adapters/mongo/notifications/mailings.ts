import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import type { MailingStore } from '../../../domain/notifications/subscriber-ports.ts';
import { insertOnce, mongoCall } from '../connect.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';

interface PlanDocument {
  readonly _id: string;
  readonly batches: readonly (readonly string[])[];
  readonly at: Date;
}
interface BatchDocument {
  readonly _id: string;
  readonly mailed: readonly string[];
  readonly at: Date;
}

const ids = z.array(z.string());
const planSchema = z.object({ batches: z.array(ids) });
const batchSchema = z.object({ mailed: ids });

/** Who is mailed a notice, in MongoDB: a document a notice, and one a batch. */
export function createMailingStore({ db }: { readonly db: Db }): MailingStore {
  const plans: Collection<PlanDocument> = db.collection(COLLECTIONS.plans);
  const batches: Collection<BatchDocument> = db.collection(COLLECTIONS.batches);
  const findPlan: MailingStore['findPlan'] = async (id) => {
    const document = await mongoCall(() => plans.findOne({ _id: id }));
    return document === null ? null : readDocument('plan of mails', planSchema, document).batches;
  };
  return {
    findPlan,
    async keepPlan(id, planned, at) {
      await insertOnce(plans, id, { batches: planned, at });
      return (await findPlan(id)) ?? planned;
    },
    async mailed(batchId) {
      const document = await mongoCall(() => batches.findOne({ _id: batchId }));
      return new Set(document === null ? [] : readDocument('batch of mails', batchSchema, document).mailed);
    },
    async noteMailed(batchId, subscriberId, at) {
      const update = { $addToSet: { mailed: subscriberId }, $setOnInsert: { at } };
      await mongoCall(() => batches.updateOne({ _id: batchId }, update, { upsert: true }));
    },
  };
}
