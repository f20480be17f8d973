import { type Collection, type Document, type Filter, MongoError, type WithId } from 'mongodb';
import { mongoCall } from './connect.ts';

/** A majority that does not answer is waited for no longer. */
const PATIENCE_MS = 5_000;
/** A server without a replica set, which refuses the question: it never fails over. */
const NOT_A_REPLICA_SET = 123;

/**
 * Reads one document as a majority of the replica set has it (read concern `linearizable`, which holds for one document
 * by a unique key): no failover takes back what it answers. A plain read may see a write that only one member has.
 * @throws UNAVAILABLE when no majority confirms it
 */
export async function readConfirmed<T extends Document>(
  collection: Collection<T>,
  uniqueKey: Filter<T>,
): Promise<WithId<T> | null> {
  const options = { readConcern: 'linearizable', readPreference: 'primary', maxTimeMS: PATIENCE_MS } as const;
  try {
    return await mongoCall(() => collection.findOne(uniqueKey, options));
  } catch (error) {
    if (!(error instanceof MongoError) || error.code !== NOT_A_REPLICA_SET) throw error;
    return await mongoCall(() => collection.findOne(uniqueKey));
  }
}

/**
 * Reads documents as a majority of the replica set has them (read concern `majority`): no failover takes back what it
 * answers. It may be of a moment ago, so it is for what stays right of an older document, such as which files it names.
 * @throws UNAVAILABLE
 */
export async function readAllCommitted<T extends Document>(
  collection: Collection<T>,
  filter: Filter<T>,
): Promise<readonly WithId<T>[]> {
  const options = { readConcern: 'majority', readPreference: 'primary' } as const;
  return await mongoCall(() => collection.find(filter, options).sort({ _id: 1 }).toArray());
}

/**
 * Reads documents of which none may be overlooked that a majority has, and none may be of one member alone: the member that
 * answered is asked to prove afterwards that it is the primary still. One that was cut off knows nothing of what others
 * wrote since; what the primary acknowledged is in what it knows a majority to have.
 * @throws UNAVAILABLE when no majority confirms it
 */
export async function readAllConfirmed<T extends Document>(
  collection: Collection<T>,
  filter: Filter<T>,
): Promise<readonly WithId<T>[]> {
  const documents = await readAllCommitted(collection, filter);
  await readConfirmed(collection, { _id: documents[0]?._id ?? '' } as Filter<T>);
  return documents;
}
