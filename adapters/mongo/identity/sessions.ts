import type { Db, Filter } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { SessionStore } from '../../../domain/identity/ports.ts';
import { mongoCall } from '../connect.ts';
import { createExpirySweep } from '../expiry-sweep.ts';
import { insertNew } from '../insert-new.ts';
import { COLLECTIONS, EXPIRIES } from './indexes.ts';
import { readSession, type SessionDocument } from './login-documents.ts';

const TOUCH_INTERVAL_MS = 60_000;

/** Browser sessions in MongoDB. One that has expired is nowhere to be found, whether it is deleted yet or not. */
export function createSessionStore(deps: { db: Db; now: Clock }): SessionStore {
  const collection = deps.db.collection<SessionDocument>(COLLECTIONS.sessions);
  const sweep = createExpirySweep(deps, COLLECTIONS.sessions, EXPIRIES.sessions);
  const live = (at: Date): Filter<SessionDocument> => ({ revokedAt: null, expiresAt: { $gt: at } });

  async function findOne(filter: Filter<SessionDocument>) {
    const document = await mongoCall(() => collection.findOne(filter));
    return document === null ? null : readSession(document);
  }

  async function updateLive(id: string, at: Date, set: Partial<SessionDocument>): Promise<boolean> {
    const { matchedCount } = await mongoCall(() => collection.updateOne({ _id: id, ...live(at) }, { $set: set }));
    return matchedCount === 1;
  }

  return {
    async insert({ id, ...fields }) {
      await sweep();
      await insertNew(
        collection,
        { _id: id, ...fields },
        () => new FairleadError('CONFLICT', 'The session is not new'),
      );
    },
    find: (id) => findOne({ _id: id, expiresAt: { $gt: deps.now() } }),
    findBySecretHash: (secretHash) => findOne({ secretHash, ...live(deps.now()) }),
    reauthenticate: (id, { secretHash, methods }, at) =>
      updateLive(id, at, { secretHash, methods, authenticatedAt: at, lastSeenAt: at }),
    async touch(id, at) {
      const longAgo = new Date(at.getTime() - TOUCH_INTERVAL_MS);
      const filter = { _id: id, lastSeenAt: { $lte: longAgo } };
      await mongoCall(() => collection.updateOne(filter, { $set: { lastSeenAt: at } }));
    },
    async listOfUser(userId, now) {
      const documents = await mongoCall(() =>
        collection
          .find({ userId, ...live(now) })
          .sort({ createdAt: -1, _id: -1 })
          .toArray(),
      );
      return documents.map(readSession);
    },
    revoke: (id, at) => updateLive(id, at, { revokedAt: at }),
    async revokeAllOfUser(userId, at) {
      await mongoCall(() => collection.updateMany({ userId, revokedAt: null }, { $set: { revokedAt: at } }));
    },
  };
}
