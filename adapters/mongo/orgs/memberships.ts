import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import type { Clock } from '../../../domain/clock.ts';
import type { Membership } from '../../../domain/orgs/org.ts';
import type { MembershipStore } from '../../../domain/orgs/ports.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { insertIfNew } from '../insert-new.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS } from './indexes.ts';
import { readMembership } from './org-documents.ts';

/** Memberships in MongoDB: one document for each person and org, held by a unique index over both. */
export function createMembershipStore(deps: { db: Db; now: Clock }): MembershipStore {
  const collection = deps.db.collection<Membership>(COLLECTIONS.memberships);
  return {
    async put({ userId, orgId, roles, modules, updatedAt, ...first }) {
      const update = { $set: { roles, modules, updatedAt }, $setOnInsert: first };
      await upsertOnceMore(() => collection.updateOne({ userId, orgId }, update, { upsert: true }));
    },
    async replaceRights({ userId, orgId, roles, modules }, after) {
      const set = { roles: after.roles, modules: after.modules, updatedAt: after.updatedAt };
      const read = { userId, orgId, roles, modules } as Filter<Membership>;
      const { matchedCount } = await mongoCall(() => collection.updateOne(read, { $set: set }));
      return matchedCount === 1;
    },
    insert: (membership) => insertIfNew(collection, { ...membership }),
    async find(userId, orgId) {
      const document = await mongoCall(() => collection.findOne({ userId, orgId }));
      return document === null ? null : readMembership(document);
    },
    async listOfUser(userId) {
      const documents = await mongoCall(() => collection.find({ userId }).sort({ orgSlug: 1 }).toArray());
      return documents.map(readMembership);
    },
    async listOfUsers(userIds) {
      const documents = await mongoCall(() => collection.find({ userId: { $in: [...userIds] } }).toArray());
      return documents.map(readMembership);
    },
    async listOfOrg(orgId, { cursor, limit }) {
      const after = decodeCursor(cursor, z.tuple([z.string().max(100)]));
      const documents = await mongoCall(() =>
        collection
          .find({ orgId, ...(after === null ? {} : { userId: { $gt: after[0] } }) })
          .sort({ userId: 1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readMembership), limit, (membership) => [membership.userId]);
    },
    async setSuspended(userId, orgId, at) {
      const set = { suspendedAt: at, updatedAt: deps.now() };
      const { matchedCount } = await mongoCall(() => collection.updateOne({ userId, orgId }, { $set: set }));
      return matchedCount === 1;
    },
    async remove(userId, orgId) {
      const { deletedCount } = await mongoCall(() => collection.deleteOne({ userId, orgId }));
      return deletedCount === 1;
    },
    countWithRole(orgId, role) {
      const filter = { orgId, roles: role, suspendedAt: null } as Filter<Membership>;
      return mongoCall(() => collection.countDocuments(filter));
    },
  };
}
