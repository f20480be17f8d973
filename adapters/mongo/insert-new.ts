import type { Collection, Document, OptionalUnlessRequiredId } from 'mongodb';
import type { FairleadError } from '../../domain/errors.ts';
import { isDuplicateKey, mongoCall } from './connect.ts';

/** Inserts a document unless one has a unique key of it; of many with one such key at once exactly one gets in, and true. @throws UNAVAILABLE */
export async function insertIfNew<T extends Document>(collection: Collection<T>, document: T): Promise<boolean> {
  try {
    await mongoCall(() => collection.insertOne(document as OptionalUnlessRequiredId<T>));
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Inserts the documents that nobody has a unique key of; those that are there stay as they are. @throws UNAVAILABLE */
export async function insertMissing<T extends Document>(
  collection: Collection<T>,
  documents: readonly T[],
): Promise<void> {
  if (documents.length === 0) return;
  try {
    await mongoCall(() => collection.insertMany(documents as OptionalUnlessRequiredId<T>[], { ordered: false }));
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

/** Inserts a document that must be new, as {@link insertIfNew}. @throws `taken()`, UNAVAILABLE */
export async function insertNew<T extends { readonly _id: string }>(
  collection: Collection<T>,
  document: T,
  taken: () => FairleadError,
): Promise<void> {
  if (!(await insertIfNew(collection, document))) throw taken();
}
