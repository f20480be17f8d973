import type { Collection, OptionalUnlessRequiredId } from 'mongodb';
import type { FairleadError } from '../../domain/errors.ts';
import { isDuplicateKey, mongoCall } from './connect.ts';

/** Inserts a document that must be new; of many with one unique key at once exactly one gets in. @throws `taken()`, UNAVAILABLE */
export async function insertNew<T extends { readonly _id: string }>(
  collection: Collection<T>,
  document: T,
  taken: () => FairleadError,
): Promise<void> {
  try {
    await mongoCall(() => collection.insertOne(document as OptionalUnlessRequiredId<T>));
  } catch (error) {
    if (isDuplicateKey(error)) throw taken();
    throw error;
  }
}
