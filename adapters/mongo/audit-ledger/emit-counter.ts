import { type Db, MongoBulkWriteError } from 'mongodb';
import { z } from 'zod';
import type { EmitCounter, EmitWindow } from '../../../domain/audit-ledger/emit-limit.ts';
import { windowOf } from '../../../domain/audit-ledger/emit-limit.ts';
import type { Clock } from '../../../domain/clock.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { waitForBatch } from '../wait-for-batch.ts';
import { LEDGER_COLLECTIONS } from './indexes.ts';

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

/** Single emits of one caller that are counted together. */
interface Group {
  readonly key: string;
  readonly asking: readonly Asking[];
}

/**
 * Counts emits in MongoDB: one document a caller, shared by all processes, and every emit counted in it before it is let
 * through, so that the limit is exact. Single emits that one process has to count while a count is under way are counted
 * together in the next one, those of several callers in one command. Its answer does not tell the counts, so it counts
 * for those callers alone of whom all fit under the limit, and the counts are read after it; the others are counted one
 * by one. A count is taken from the document as it was *before* the increment: what the embedded stand-in returns as
 * "after" can already hold a later one. A count is not waited for on the disk or by other members: with the server that
 * lost it, a caller at worst gets some of the minute again.
 */
export function createEmitCounter(deps: { db: Db; now: Clock; limit: number }): EmitCounter {
  const collection = deps.db.collection<CountDocument>(LEDGER_COLLECTIONS.emitCounts, { writeConcern: { w: 1 } });
  let waiting = new Map<string, Asking[]>();
  let running = false;

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

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      await waitForBatch();
      const groups = [...waiting].map(([key, asking]) => ({ key, asking }));
      waiting = new Map();
      const [first, ...others] = groups;
      if (first === undefined) continue;
      await (others.length === 0 ? countAlone(first) : countTogether(groups));
    }
    running = false;
  }

  async function countAlone({ key, asking }: Group): Promise<void> {
    try {
      const window = await add(key, asking.length);
      answer(asking, window);
    } catch (error) {
      for (const { reject } of asking) reject(error);
    }
  }

  async function countTogether(groups: readonly Group[]): Promise<void> {
    try {
      const unfit = await addWhereAllFit(groups);
      const counted = groups.filter((_, index) => !unfit.has(index));
      const windows = await currentWindows(counted);
      for (const [index, window] of windows.entries()) answer(counted[index]?.asking ?? [], window);
      // They wait for nobody, and nobody for them.
      for (const [index, group] of groups.entries()) if (unfit.has(index)) void countAlone(group);
    } catch (error) {
      for (const { asking } of groups) for (const { reject } of asking) reject(error);
    }
  }

  /**
   * One command for all. Where the window is over or would be exceeded, nothing matches, and the upsert is refused since
   * the document is there. @returns the indexes of those that were not counted
   */
  async function addWhereAllFit(groups: readonly Group[]): Promise<ReadonlySet<number>> {
    const now = deps.now();
    const { endsAt } = windowOf(now);
    const updates = groups.map(({ key, asking: { length } }) => {
      const filter = { _id: key, endsAt: { $gt: now }, count: { $lte: deps.limit - length } };
      return { updateOne: { filter, update: { $inc: { count: length }, $setOnInsert: { endsAt } }, upsert: true } };
    });
    try {
      await mongoCall(() => collection.bulkWrite(updates, { ordered: false }));
      return new Set();
    } catch (error) {
      return refusedUpserts(error);
    }
  }

  /** The window of each group, in which it was just counted. Its count may have grown since, also by emits that were refused. */
  async function currentWindows(groups: readonly Group[]): Promise<readonly EmitWindow[]> {
    const ids = groups.map(({ key }) => key);
    const documents = await mongoCall(() => collection.find({ _id: { $in: ids } }).toArray());
    const counts = new Map(documents.map((document) => [document._id, countSchema.parse(document)]));
    return groups.map(({ key, asking: { length } }) => {
      // A new window may have begun in the document since: its count can be lower.
      const { count, endsAt } = counts.get(key) ?? { count: length, ...windowOf(deps.now()) };
      return { used: Math.max(length, Math.min(count, deps.limit)), endsAt };
    });
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
      const queue = waiting.get(key);
      if (queue !== undefined) queue.push({ resolve, reject });
      else waiting.set(key, [{ resolve, reject }]);
      if (!running) {
        running = true;
        void run();
      }
      return promise;
    },
  };
}

function withAmount(document: unknown, amount: number): EmitWindow {
  const { count, endsAt } = countSchema.parse(document);
  return { used: count + amount, endsAt };
}

/** Each has its own place in the window, the last one that of all. */
function answer(asking: readonly Asking[], window: EmitWindow): void {
  const before = window.used - asking.length;
  for (const [index, { resolve }] of asking.entries()) resolve({ ...window, used: before + index + 1 });
}

/** Indexes of the updates that were refused as their document is there. @throws the error where it is about anything else */
function refusedUpserts(error: unknown): ReadonlySet<number> {
  if (!(error instanceof MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
  return new Set([error.writeErrors].flat().map(({ index }) => index));
}
