import type { Db } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import type { InviteStore } from '../../../domain/orgs/ports.ts';
import { mongoCall } from '../connect.ts';
import { createExpirySweep } from '../expiry-sweep.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS, EXPIRIES } from './indexes.ts';
import { type InviteDocument, readInvite } from './org-documents.ts';

/**
 * Invitations in MongoDB: one document for each org and address. A new one replaces the one before, whose link then
 * leads nowhere, in one write.
 */
export function createInviteStore(deps: { db: Db; now: Clock }): InviteStore {
  const collection = deps.db.collection<InviteDocument>(COLLECTIONS.invites);
  const sweep = createExpirySweep(deps, COLLECTIONS.invites, EXPIRIES.invites);
  const open = (at: Date) => ({ acceptedAt: null, revokedAt: null, expiresAt: { $gt: at } });
  return {
    async insert(invite) {
      await sweep();
      const _id = `${invite.orgId}:${invite.email}`;
      await upsertOnceMore(() => collection.replaceOne({ _id }, invite, { upsert: true }));
    },
    async findByTokenHash(tokenHash) {
      const document = await mongoCall(() => collection.findOne({ tokenHash, expiresAt: { $gt: deps.now() } }));
      return document === null ? null : readInvite(document);
    },
    async listOpen(orgId, now) {
      const documents = await mongoCall(() =>
        collection
          .find({ orgId, ...open(now) })
          .sort({ createdAt: -1, _id: -1 })
          .toArray(),
      );
      return documents.map(readInvite);
    },
    async consume(tokenHash, userId, at) {
      const own = { $or: [{ acceptedAt: null }, { acceptedBy: userId, finishedAt: null }] };
      const filter = { tokenHash, revokedAt: null, expiresAt: { $gt: at }, ...own };
      const set = { acceptedAt: at, acceptedBy: userId };
      const before = await mongoCall(() =>
        collection.findOneAndUpdate(filter, { $set: set }, { returnDocument: 'before' }),
      );
      return before === null ? null : { ...readInvite(before), ...set };
    },
    async finish(tokenHash, at) {
      const taken = { tokenHash, acceptedAt: { $ne: null }, finishedAt: null };
      const { matchedCount } = await mongoCall(() => collection.updateOne(taken, { $set: { finishedAt: at } }));
      return matchedCount === 1;
    },
    async finishAllOf(userId, orgId, at) {
      const taken = { orgId, acceptedBy: userId, finishedAt: null };
      await mongoCall(() => collection.updateMany(taken, { $set: { finishedAt: at } }));
    },
    async revoke(id, orgId, at) {
      const filter = { id, orgId, ...open(at) };
      const { matchedCount } = await mongoCall(() => collection.updateOne(filter, { $set: { revokedAt: at } }));
      return matchedCount === 1;
    },
  };
}
