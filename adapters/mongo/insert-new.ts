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

/** Inserts a document that must be new, as {@link insertIfNew}. @throws `taken()`, UNAVAILABLE */
export async function insertNew<T extends { readonly _id: string }>(
  collection: Collection<T>,
  document: T,
  taken: () => FairleadError,
): Promise<void> {
  if (!(await insertIfNew(collection, document))) throw taken();
}
