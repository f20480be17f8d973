import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb';
import { groupCalls } from '../group-calls.ts';
import { isDuplicateKey, mongoCall } from './connect.ts';
import { waitForBatch } from './wait-for-batch.ts';

/**
 * Makes an insert for requests of which many come at once: they share commands. Each is told when its own document is as
 * durable as the write concern says: true, or false when a unique index refused it. @throws UNAVAILABLE to all of a command
 */
export function createInsertTogether<T extends Document>(collection: Collection<T>): (document: T) => Promise<boolean> {
  const insert = groupCalls<T, boolean>((_key, documents) => insertAll(collection, documents), {
    most: 500,
    wait: waitForBatch,
  });
  return (document) => insert(collection.collectionName, document);
}

/** @returns whether each document was new; false where a unique index refused it */
async function insertAll<T extends Document>(collection: Collection<T>, documents: readonly T[]): Promise<boolean[]> {
  try {
    await mongoCall(() => collection.insertMany(documents as OptionalUnlessRequiredId<T>[], { ordered: false }));
    return documents.map(() => true);
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
    const refused = new Set([error.writeErrors].flat().map(({ index }) => index));
    return documents.map((_document, index) => !refused.has(index));
  }
}
