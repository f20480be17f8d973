import type { Db } from 'mongodb';
import type { OrgGrant } from '../../../domain/orgs/org.ts';
import type { OrgGrantStore } from '../../../domain/orgs/ports.ts';
import { mongoCall } from '../connect.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS } from './indexes.ts';
import { readOrgGrant } from './org-documents.ts';

/** Org grants in MongoDB: one document for each client and org, which keeps who approved it first. */
export function createOrgGrantStore(deps: { db: Db }): OrgGrantStore {
  const collection = deps.db.collection<OrgGrant>(COLLECTIONS.orgGrants);
  return {
    async approve({ clientId, orgSlug, ...fields }) {
      const update = { $setOnInsert: fields };
      await upsertOnceMore(() => collection.updateOne({ clientId, orgSlug }, update, { upsert: true }));
    },
    async find(clientId, orgSlug) {
      const document = await mongoCall(() => collection.findOne({ clientId, orgSlug }));
      return document === null ? null : readOrgGrant(document);
    },
    async listOfOrg(orgSlug) {
      const documents = await mongoCall(() => collection.find({ orgSlug }).sort({ clientId: 1 }).toArray());
      return documents.map(readOrgGrant);
    },
    async revoke(clientId, orgSlug) {
      const { deletedCount } = await mongoCall(() => collection.deleteOne({ clientId, orgSlug }));
      return deletedCount === 1;
    },
  };
}
