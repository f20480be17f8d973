import type { Db, Filter } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { GrantStore } from '../../../domain/identity/ports.ts';
import { mongoCall } from '../connect.ts';
import { createExpirySweep } from '../expiry-sweep.ts';
import { insertNew } from '../insert-new.ts';
import { COLLECTIONS, EXPIRIES } from './indexes.ts';
import { type GrantDocument, readGrant } from './login-documents.ts';

/**
 * Grants in MongoDB. The number of the refresh token that is good now stands in the grant itself, so of many refreshes
 * with one token exactly one moves it on. A revoked grant is still found, as revoked; an expired one is not.
 */
export function createGrantStore(deps: { db: Db; now: Clock }): GrantStore {
  const collection = deps.db.collection<GrantDocument>(COLLECTIONS.grants);
  const sweep = createExpirySweep(deps, COLLECTIONS.grants, EXPIRIES.grants);
  const live = (at: Date): Filter<GrantDocument> => ({ revokedAt: null, expiresAt: { $gt: at } });

  async function updateLive(filter: Filter<GrantDocument>, at: Date, set: Partial<GrantDocument>): Promise<boolean> {
    const { matchedCount } = await mongoCall(() => collection.updateOne({ ...filter, ...live(at) }, { $set: set }));
    return matchedCount === 1;
  }

  async function revokeAll(filter: Filter<GrantDocument>, at: Date): Promise<void> {
    await mongoCall(() => collection.updateMany({ ...filter, revokedAt: null }, { $set: { revokedAt: at } }));
  }

  return {
    async insert({ id, ...fields }) {
      await sweep();
      await insertNew(collection, { _id: id, ...fields }, () => new FairleadError('CONFLICT', 'The grant is not new'));
    },
    async find(id) {
      const document = await mongoCall(() => collection.findOne({ _id: id, expiresAt: { $gt: deps.now() } }));
      return document === null ? null : readGrant(document);
    },
    rotate(id, generation, lastReply, at) {
      return updateLive({ _id: id, generation }, at, { generation: generation + 1, lastReply, lastUsedAt: at });
    },
    async listOfUser(userId, now) {
      const documents = await mongoCall(() =>
        collection
          .find({ userId, ...live(now) })
          .sort({ createdAt: -1, _id: -1 })
          .toArray(),
      );
      return documents.map(readGrant);
    },
    revoke: (id, at) => updateLive({ _id: id }, at, { revokedAt: at }),
    async revokeOfSession(sessionId, at) {
      const filter = { sessionId, offline: false, ...live(at) };
      const found = await mongoCall(() => collection.find(filter, { projection: { _id: 1 } }).toArray());
      const revoked: string[] = [];
      // One by one: an id is returned by the caller that revoked it, and by no other at the same time.
      for (const { _id } of found) {
        if (await updateLive({ _id }, at, { revokedAt: at })) revoked.push(_id);
      }
      return revoked;
    },
    revokeAllOfUser: (userId, at) => revokeAll({ userId }, at),
    revokeAllOfClient: (clientId, at) => revokeAll({ clientId }, at),
  };
}
