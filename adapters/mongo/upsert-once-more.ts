import { isDuplicateKey, mongoCall } from './connect.ts';

/**
 * Runs an upsert by a unique key. When two insert at once, the unique index refuses one of them: that one is run again
 * and now finds the document there. @throws UNAVAILABLE
 */
export async function upsertOnceMore<T>(upsert: () => Promise<T>): Promise<T> {
  try {
    return await mongoCall(upsert);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return mongoCall(upsert);
  }
}
