import type { Db } from 'mongodb';
import type { MailCounts } from '../../../domain/notifications/ports.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { COLLECTIONS } from './indexes.ts';

interface CountDocument {
  readonly _id: string;
  readonly count: number;
  readonly at: Date;
}

/** Counts in MongoDB: one document a key and day, which is raised only while it is below the limit. */
export function createMailCounts({ db }: { readonly db: Db }): MailCounts {
  const collection = db.collection<CountDocument>(COLLECTIONS.confirmations);
  return {
    async take(key, day, most) {
      const filter = { _id: `${key}/${day}`, count: { $lt: most } };
      const update = { $inc: { count: 1 }, $setOnInsert: { at: new Date(`${day}T00:00:00Z`) } };
      try {
        await mongoCall(() => collection.updateOne(filter, update, { upsert: true }));
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      // It is there: at its limit, or another one has just begun it.
      const { matchedCount } = await mongoCall(() => collection.updateOne(filter, { $inc: { count: 1 } }));
      return matchedCount === 1;
    },
    async giveBack(key, day) {
      await mongoCall(() => collection.updateOne({ _id: `${key}/${day}`, count: { $gt: 0 } }, { $inc: { count: -1 } }));
    },
  };
}
