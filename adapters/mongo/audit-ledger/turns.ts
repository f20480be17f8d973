import type { Db } from 'mongodb';
import { z } from 'zod';
import type { ChainHead } from '../../../domain/audit-ledger/event.ts';
import type { Turns } from '../../../domain/audit-ledger/ports.ts';
import { hashSchema } from '../../../domain/audit-ledger/schema.ts';
import type { Clock } from '../../../domain/clock.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { LEDGER_COLLECTIONS } from './indexes.ts';

/** How long a turn lasts when whoever has it dies. */
const TURN_MS = 1_000;

interface TurnDocument {
  readonly _id: string;
  readonly until: Date;
  readonly head: ChainHead | null;
}

const turnSchema = z.object({
  head: z.object({ chainIndex: z.int().min(0), eventHash: hashSchema, createdAt: z.date() }).nullable(),
});

/**
 * Turns in MongoDB, for processes that meet in one namespace: whoever waits for its turn does not chain events in vain.
 * They save work and nothing rests on them: a turn may be overstayed, and is over by itself a second after its holder
 * died, since the unique index of the chain refuses what is written out of turn to a place that is taken.
 */
export function createTurns(deps: { db: Db; now: Clock }): Turns {
  const collection = deps.db.collection<TurnDocument>(LEDGER_COLLECTIONS.turns);
  return {
    async take(namespace) {
      const now = deps.now();
      const until = new Date(now.getTime() + TURN_MS);
      try {
        const before = await mongoCall(() =>
          collection.findOneAndUpdate(
            { _id: namespace, until: { $lte: now } },
            { $set: { until }, $setOnInsert: { head: null } },
            { upsert: true, returnDocument: 'before' },
          ),
        );
        return before === null ? null : turnSchema.parse(before).head;
      } catch (error) {
        // It is there and not over.
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
    },
    async give(namespace, head) {
      const set = { until: new Date(0), ...(head === null ? {} : { head }) };
      await mongoCall(() => collection.updateOne({ _id: namespace }, { $set: set }));
    },
    async isTaken(namespace) {
      const taken = { _id: namespace, until: { $gt: deps.now() } };
      return (await mongoCall(() => collection.findOne(taken, { projection: { _id: 1 } }))) !== null;
    },
  };
}
