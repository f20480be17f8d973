import type { Db } from 'mongodb';
import { z } from 'zod';
import type { EmitCounter, EmitWindow } from '../../../domain/audit-ledger/emit-limit.ts';
import { windowOf } from '../../../domain/audit-ledger/emit-limit.ts';
import type { Clock } from '../../../domain/clock.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { LEDGER_COLLECTIONS } from './indexes.ts';
import { waitForBatch } from './wait-for-batch.ts';

interface CountDocument {
  readonly _id: string;
  readonly endsAt: Date;
  readonly count: number;
}

const countSchema = z.object({ endsAt: z.date(), count: z.int() });

interface Asking {
  readonly resolve: (window: EmitWindow) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Counts emits in MongoDB: one document a caller, shared by all processes, and every emit counted in it before it is let
 * through, so that the limit is exact. Single emits that one process has to count for a caller while a count is under way
 * are counted together in the next one. A count is taken from the document as it was *before* the increment: what the
 * embedded stand-in returns as "after" can already hold a later one. A count is not waited for on the disk or by other
 * members: with the server that lost it, a caller at worst gets some of the minute again.
 */
export function createEmitCounter(deps: { db: Db; now: Clock; limit: number }): EmitCounter {
  const collection = deps.db.collection<CountDocument>(LEDGER_COLLECTIONS.emitCounts, { writeConcern: { w: 1 } });
  const queues = new Map<string, Asking[]>();

  /** Adds to the window that is current, or begins it. @returns the window with the amount in it */
  async function add(key: string, amount: number): Promise<EmitWindow> {
    for (;;) {
      const now = deps.now();
      const window = (await addToCurrent(key, amount, now)) ?? (await begin(key, amount, now));
      if (window !== null) return window;
    }
  }

  /** Adds when the whole amount fits. @returns the window as if it had been added, with more than the limit in it if not */
  async function addIfFits(key: string, amount: number): Promise<EmitWindow> {
    for (;;) {
      const now = deps.now();
      const added = await addToCurrent(key, amount, now, deps.limit - amount);
      if (added !== null) return added;
      const full = await mongoCall(() => collection.findOne({ _id: key, endsAt: { $gt: now } }));
      const window = full === null ? await begin(key, amount, now) : withAmount(full, amount);
      if (window !== null && (full === null || window.used > deps.limit)) return window;
    }
  }

  /** Null when no window is current, or its count is above `most` already. A clock that is behind counts into the window that others have begun. */
  async function addToCurrent(key: string, amount: number, now: Date, most?: number): Promise<EmitWindow | null> {
    const filter = { _id: key, endsAt: { $gt: now }, ...(most === undefined ? {} : { count: { $lte: most } }) };
    const before = await mongoCall(() =>
      collection.findOneAndUpdate(filter, { $inc: { count: amount } }, { returnDocument: 'before' }),
    );
    return before === null ? null : withAmount(before, amount);
  }

  /** Null when somebody else began the window in between. */
  async function begin(key: string, count: number, now: Date): Promise<EmitWindow | null> {
    const { endsAt } = windowOf(now);
    try {
      const ended = { _id: key, endsAt: { $lte: now } };
      const result = await mongoCall(() => collection.updateOne(ended, { $set: { endsAt, count } }, { upsert: true }));
      return result.matchedCount + result.upsertedCount === 1 ? { used: count, endsAt } : null;
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }

  async function run(key: string, queue: Asking[]): Promise<void> {
    while (queue.length > 0) {
      await waitForBatch();
      const together = queue.splice(0);
      try {
        const window = await add(key, together.length);
        const before = window.used - together.length;
        for (const [index, { resolve }] of together.entries()) resolve({ ...window, used: before + index + 1 });
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    queues.delete(key);
  }

  /** More than a whole window's worth never fits. */
  async function addMany(key: string, amount: number): Promise<EmitWindow> {
    if (amount > deps.limit) return { used: amount, endsAt: windowOf(deps.now()).endsAt };
    return addIfFits(key, amount);
  }

  return {
    count(caller, amount) {
      const key = JSON.stringify([caller.orgSlug, caller.sub]);
      // Many at once are let through together or not at all, and count only when they are.
      if (amount !== 1) return addMany(key, amount);
      const { promise, resolve, reject } = Promise.withResolvers<EmitWindow>();
      const asking = { resolve, reject };
      const queue = queues.get(key);
      if (queue !== undefined) queue.push(asking);
      else {
        const started = [asking];
        queues.set(key, started);
        void run(key, started);
      }
      return promise;
    },
  };
}

function withAmount(document: unknown, amount: number): EmitWindow {
  const { count, endsAt } = countSchema.parse(document);
  return { used: count + amount, endsAt };
}
