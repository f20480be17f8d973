import type { Db } from 'mongodb';
import { z } from 'zod';
import type { ChainHead } from '../../../domain/audit-ledger/event.ts';
import type { NamespaceLeases } from '../../../domain/audit-ledger/ports.ts';
import { hashSchema } from '../../../domain/audit-ledger/schema.ts';
import type { Clock } from '../../../domain/clock.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { LEDGER_COLLECTIONS } from './indexes.ts';

/** How long a lease lasts when its holder dies. */
const LEASE_MS = 1_000;

interface LeaseDocument {
  readonly _id: string;
  readonly until: Date;
  readonly head: ChainHead | null;
}

const leaseSchema = z.object({
  head: z.object({ chainIndex: z.int().min(0), eventHash: hashSchema, createdAt: z.date() }).nullable(),
});

/**
 * Leases on writing to a namespace, in MongoDB. A process that waits for the lease does not chain events in vain. Leases
 * save work only, correctness does not depend on them: when two processes write at once, the unique index of the chain
 * refuses the second event at an index. A lease expires a second after it was acquired.
 */
export function createNamespaceLeases(deps: { db: Db; now: Clock }): NamespaceLeases {
  const collection = deps.db.collection<LeaseDocument>(LEDGER_COLLECTIONS.leases);
  return {
    async acquire(namespace) {
      const now = deps.now();
      const until = new Date(now.getTime() + LEASE_MS);
      try {
        const before = await mongoCall(() =>
          collection.findOneAndUpdate(
            { _id: namespace, until: { $lte: now } },
            { $set: { until }, $setOnInsert: { head: null } },
            { upsert: true, returnDocument: 'before' },
          ),
        );
        return before === null ? null : leaseSchema.parse(before).head;
      } catch (error) {
        // It is there and not over.
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
    },
    async release(namespace, head) {
      const set = { until: new Date(0), ...(head === null ? {} : { head }) };
      await mongoCall(() => collection.updateOne({ _id: namespace }, { $set: set }));
    },
    async isHeld(namespace) {
      const taken = { _id: namespace, until: { $gt: deps.now() } };
      return (await mongoCall(() => collection.findOne(taken, { projection: { _id: 1 } }))) !== null;
    },
  };
}
