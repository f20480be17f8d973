import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Checkpoint, CheckpointStore } from '../../../domain/audit-ledger/checkpoint.ts';
import { hashSchema } from '../../../domain/audit-ledger/schema.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { insertOnce, mongoCall } from '../connect.ts';
import { LEDGER_COLLECTIONS } from './indexes.ts';

/** `_id` is the namespace and the time. The whole ledger has the namespace `''`. */
interface CheckpointDocument extends Omit<Checkpoint, 'namespace'> {
  readonly _id: string;
  readonly namespace: string;
}

const checkpointSchema = z.object({
  namespace: z.string().transform((name) => (name === '' ? null : name)),
  size: z.int().min(0),
  head: hashSchema,
  time: z.date(),
  note: z.string(),
});

/** Signed checkpoints in MongoDB. Those of one time are written again after a failure without a second copy. */
export function createCheckpointStore(deps: { db: Db }): CheckpointStore {
  const collection = deps.db.collection<CheckpointDocument>(LEDGER_COLLECTIONS.checkpoints);
  return {
    async insert(checkpoint) {
      const namespace = checkpoint.namespace ?? '';
      const id = `${namespace}@${checkpoint.time.toISOString()}`;
      await insertOnce(collection, id, { ...checkpoint, namespace });
    },
    async newest(namespace, limit) {
      const filter = { namespace: namespace ?? '' };
      const found = await mongoCall(() => collection.find(filter).sort({ time: -1 }).limit(limit).toArray());
      return found.map(readCheckpoint);
    },
    async *stream(namespace, times) {
      const filter = { namespace, ...(times === undefined ? {} : { time: { $gte: times.from, $lte: times.to } }) };
      const cursor = collection.find(filter).sort({ time: 1 });
      try {
        while (await mongoCall(() => cursor.hasNext())) yield* cursor.readBufferedDocuments().map(readCheckpoint);
      } finally {
        await cursor.close();
      }
    },
  };
}

function readCheckpoint(document: unknown): Checkpoint {
  const result = checkpointSchema.safeParse(document);
  if (result.success) return result.data;
  throw new FairleadError('INTERNAL', 'A stored checkpoint has an invalid format', { cause: result.error });
}
