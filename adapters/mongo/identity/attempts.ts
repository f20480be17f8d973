import type { Db } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import type { AttemptStore } from '../../../domain/identity/ports.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { createExpirySweep } from '../expiry-sweep.ts';
import { COLLECTIONS, EXPIRIES } from './indexes.ts';
import { type AttemptDocument, readAttempts } from './provider-documents.ts';

/**
 * Counts of attempts in MongoDB: one document for each key. A window begins with its first attempt and ends a fixed
 * time later, however many follow. The count is taken from the document as it was *before* the increment: what the
 * embedded stand-in returns as "after" can already hold a later attempt.
 */
export function createAttemptStore(deps: { db: Db; now: Clock }): AttemptStore {
  const collection = deps.db.collection<AttemptDocument>(COLLECTIONS.attempts);
  const sweep = createExpirySweep(deps, COLLECTIONS.attempts, EXPIRIES.attempts);

  /** False when somebody else began the window in between. */
  async function beginWindow(key: string, until: Date, at: Date): Promise<boolean> {
    try {
      const ended = { _id: key, until: { $lte: at } };
      const window = { $set: { attempts: 1, until } };
      const result = await mongoCall(() => collection.updateOne(ended, window, { upsert: true }));
      return result.matchedCount + result.upsertedCount === 1;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  return {
    async count(key, windowSeconds, at) {
      await sweep();
      const until = new Date(at.getTime() + windowSeconds * 1000);
      for (;;) {
        const current = { _id: key, until: { $gt: at } };
        const before = await mongoCall(() =>
          collection.findOneAndUpdate(current, { $inc: { attempts: 1 } }, { returnDocument: 'before' }),
        );
        if (before !== null) return readAttempts(before).attempts + 1;
        if (await beginWindow(key, until, at)) return 1;
      }
    },
    async read(key, at) {
      const document = await mongoCall(() => collection.findOne({ _id: key, until: { $gt: at } }));
      return document === null ? null : readAttempts(document);
    },
    async forgive(key, at) {
      const counted = { _id: key, until: { $gt: at }, attempts: { $gt: 0 } };
      await mongoCall(() => collection.updateOne(counted, { $inc: { attempts: -1 } }));
    },
    async clear(key) {
      await mongoCall(() => collection.deleteOne({ _id: key }));
    },
  };
}
