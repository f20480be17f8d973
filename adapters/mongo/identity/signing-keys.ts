import type { Db } from 'mongodb';
import type { SigningKeyStore } from '../../../domain/identity/ports.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { COLLECTIONS } from './indexes.ts';
import { type KeySetDocument, readKeySet, readWithdrawnKeys } from './provider-documents.ts';

const ID = 'key-set';

/** The signing keys in MongoDB: one document with a version, so of many writers at once exactly one gets through. */
export function createSigningKeyStore(deps: { db: Db }): SigningKeyStore {
  const collection = deps.db.collection<KeySetDocument>(COLLECTIONS.signingKeys);
  return {
    async read() {
      const document = await mongoCall(() => collection.findOne({ _id: ID }));
      return document === null ? { version: 0, keys: [], withdrawn: [] } : readKeySet(document);
    },
    async readWithdrawn() {
      const projection = { _id: 0, withdrawn: 1 };
      const document = await mongoCall(() => collection.findOne({ _id: ID }, { projection }));
      return document === null ? [] : readWithdrawnKeys(document);
    },
    async write(expectedVersion, keys, withdrawn) {
      try {
        const expected = { _id: ID, version: expectedVersion };
        const changes = { keys, version: expectedVersion + 1, ...(withdrawn === undefined ? {} : { withdrawn }) };
        // Version 0 is no document: then the update inserts it, unless one is there by now.
        const options = { upsert: expectedVersion === 0 };
        const result = await mongoCall(() => collection.updateOne(expected, { $set: changes }, options));
        return result.matchedCount + result.upsertedCount === 1;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
}
