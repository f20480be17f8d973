import type { Db } from 'mongodb';
import { z } from 'zod';
import type { ConsentStore } from '../../../domain/identity/ports.ts';
import { mongoCall } from '../connect.ts';
import { readDocument } from '../read-document.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS } from './indexes.ts';

interface ConsentDocument {
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const consentSchema = z.object({ scopes: z.array(z.string()) });

/** What people agreed to, in MongoDB: one document for each person and client, whose scopes only grow. */
export function createConsentStore(deps: { db: Db }): ConsentStore {
  const collection = deps.db.collection<ConsentDocument>(COLLECTIONS.consents);
  return {
    async find(userId, clientId) {
      const document = await mongoCall(() => collection.findOne({ userId, clientId }));
      return document === null ? [] : readDocument('consent', consentSchema, document).scopes;
    },
    async add(userId, clientId, scopes, at) {
      const update = {
        $addToSet: { scopes: { $each: [...scopes] } },
        $set: { updatedAt: at },
        $setOnInsert: { createdAt: at },
      };
      await upsertOnceMore(() => collection.updateOne({ userId, clientId }, update, { upsert: true }));
    },
    async remove(userId, clientId) {
      const { deletedCount } = await mongoCall(() => collection.deleteOne({ userId, clientId }));
      return deletedCount === 1;
    },
    async removeAllOfClient(clientId) {
      await mongoCall(() => collection.deleteMany({ clientId }));
    },
  };
}
