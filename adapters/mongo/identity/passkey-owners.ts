import type { Db } from 'mongodb';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { COLLECTIONS } from './indexes.ts';

interface OwnerDocument {
  /** The credential id. */
  readonly _id: string;
  readonly userId: string;
}

/**
 * Whose a WebAuthn credential is: one of a credential id is never registered for two people (WebAuthn, 7.1, step 26).
 * A document for each credential says so by its `_id`; a unique index over the passkeys inside user documents would
 * as well, but not on the embedded stand-in. The claim is made before the passkey is stored and given back after it is
 * gone: a process that dies in between leaves a claim that its owner can use again and nobody else could.
 */
export function createPasskeyOwners(deps: { db: Db }) {
  const collection = deps.db.collection<OwnerDocument>(COLLECTIONS.passkeyOwners);
  return {
    /** True when the credential is that person's now; false when it is somebody else's. @throws UNAVAILABLE */
    async claim(credentialId: string, userId: string): Promise<boolean> {
      try {
        await mongoCall(() => collection.insertOne({ _id: credentialId, userId }));
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const own = await mongoCall(() => collection.countDocuments({ _id: credentialId, userId }, { limit: 1 }));
      return own === 1;
    },
    async release(credentialId: string, userId: string): Promise<void> {
      await mongoCall(() => collection.deleteOne({ _id: credentialId, userId }));
    },
  };
}
