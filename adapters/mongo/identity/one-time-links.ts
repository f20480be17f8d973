import type { Db } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import type { OneTimeLinkStore } from '../../../domain/identity/ports.ts';
import { mongoCall } from '../connect.ts';
import { createExpirySweep } from '../expiry-sweep.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS, EXPIRIES } from './indexes.ts';
import { type LinkDocument, readLink } from './provider-documents.ts';

/**
 * One-time links in MongoDB: one document for each purpose and person. A new link replaces the one before, so "only the
 * newest works" is held by one write, and there are never more documents than people.
 */
export function createOneTimeLinkStore(deps: { db: Db; now: Clock }): OneTimeLinkStore {
  const collection = deps.db.collection<LinkDocument>(COLLECTIONS.links);
  const sweep = createExpirySweep(deps, COLLECTIONS.links, EXPIRIES.links);
  return {
    async insert(link) {
      await sweep();
      const _id = `${link.purpose}:${link.userId ?? ''}`;
      await upsertOnceMore(() => collection.replaceOne({ _id }, link, { upsert: true }));
    },
    async find(tokenHash, purpose) {
      const document = await mongoCall(() =>
        collection.findOne({ tokenHash, purpose, expiresAt: { $gt: deps.now() } }),
      );
      return document === null ? null : readLink(document);
    },
    async consume(tokenHash, purpose, at) {
      const open = { tokenHash, purpose, consumedAt: null, expiresAt: { $gt: at } };
      const before = await mongoCall(() =>
        collection.findOneAndUpdate(open, { $set: { consumedAt: at } }, { returnDocument: 'before' }),
      );
      return before === null ? null : { ...readLink(before), consumedAt: at };
    },
    async consumeAllOfUser(userId, at) {
      await mongoCall(() => collection.updateMany({ userId, consumedAt: null }, { $set: { consumedAt: at } }));
    },
  };
}
