import type { Db } from 'mongodb';
import { z } from 'zod';
import type { PendingAnchor, PendingAnchorStore } from '../../../domain/audit-ledger/anchoring-ports.ts';
import type { Day } from '../../../domain/audit-ledger/day-close.ts';
import type { Hash } from '../../../domain/audit-ledger/event.ts';
import { mongoCall } from '../connect.ts';
import { ANCHORING_COLLECTIONS } from './anchoring-indexes.ts';

/** Amounts of wei exceed what the database's numbers hold. */
const wei = z.string().transform((text) => BigInt(text));

const pendingSchema: z.ZodType<PendingAnchor> = z.object({
  batchId: z.string(),
  chainId: z.int(),
  from: z.string(),
  to: z.string(),
  data: z.string(),
  nonce: z.int().min(0),
  gasLimit: wei,
  transactions: z.array(
    z.object({
      hash: z.string().transform((text) => text as Hash),
      raw: z.string(),
      maxFeePerGas: wei,
      maxPriorityFeePerGas: wei,
      signedAt: z.date(),
    }),
  ),
});

interface Stored {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** Pending anchors in MongoDB: one document for each batch and chain. */
export function createPendingAnchorStore({ db }: { db: Db }): PendingAnchorStore {
  const collection = db.collection<Stored>(ANCHORING_COLLECTIONS.pending);
  const idOf = (batchId: Day, chainId: number): string => `${batchId}/${chainId}`;
  const findOne = async (filter: Record<string, unknown>): Promise<PendingAnchor | null> => {
    // The newest where several batches used one nonce: an earlier one lost it.
    const document = await mongoCall(() => collection.findOne(filter, { sort: { _id: -1 } }));
    return document === null ? null : pendingSchema.parse(document);
  };
  return {
    find: (batchId, chainId) => findOne({ _id: idOf(batchId, chainId) }),
    findByNonce: (chainId, from, nonce) => findOne({ chainId, from, nonce }),
    async put(pending) {
      const transactions = pending.transactions.map((transaction) => ({
        ...transaction,
        maxFeePerGas: String(transaction.maxFeePerGas),
        maxPriorityFeePerGas: String(transaction.maxPriorityFeePerGas),
      }));
      const document = { ...pending, gasLimit: String(pending.gasLimit), transactions };
      const filter = { _id: idOf(pending.batchId, pending.chainId) };
      await mongoCall(() => collection.replaceOne(filter, document, { upsert: true }));
    },
  };
}
