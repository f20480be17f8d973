import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import type { Clock } from '../../../domain/clock.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { OrgPolicy } from '../../../domain/orgs/policy.ts';
import type { OrgChanges, OrgStore } from '../../../domain/orgs/ports.ts';
import { storedMailTemplates, WHITE_LABEL_PARTS } from '../appearance-fields.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { insertNew } from '../insert-new.ts';
import { pickChanges, pickParts } from '../pick-changes.ts';
import { COLLECTIONS } from './indexes.ts';
import { type OrgDocument, orgDocument, readOrg } from './org-documents.ts';

const CHANGEABLE: Readonly<Record<Exclude<keyof OrgChanges, 'mailTemplates' | 'whiteLabel' | 'policy'>, true>> = {
  name: true,
  modules: true,
  suspendedAt: true,
};

const POLICY_PARTS: Readonly<Record<keyof OrgPolicy, true>> = { secondFactorRequired: true, sessionHours: true };

/** Orgs in MongoDB. Ids are told from slugs by their capitals. */
export function createOrgStore(deps: { db: Db; now: Clock }): OrgStore {
  const collection = deps.db.collection<OrgDocument>(COLLECTIONS.orgs);

  async function findOne(filter: Filter<OrgDocument>) {
    const document = await mongoCall(() => collection.findOne(filter));
    return document === null ? null : readOrg(document);
  }

  return {
    async insert(org) {
      await insertNew(collection, orgDocument(org), () => {
        return new FairleadError('ORG_EXISTS', `An org called ${org.slug} exists already, or there is a platform org`);
      });
    },
    find: (idOrSlug) => findOne(idOrSlug.startsWith('ORG-') ? { _id: idOrSlug } : { slug: idOrSlug }),
    findPlatformOrg: () => findOne({ onlyOne: 'platform' }),
    async findMany(ids) {
      const documents = await mongoCall(() => collection.find({ _id: { $in: [...ids] } }).toArray());
      return documents.map(readOrg);
    },
    async list({ cursor, limit }) {
      const after = decodeCursor(cursor, z.tuple([z.string().max(100)]));
      const documents = await mongoCall(() =>
        collection
          .find(after === null ? {} : { slug: { $gt: after[0] } })
          .sort({ slug: 1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readOrg), limit, (org) => [org.slug]);
    },
    async update(id, changes) {
      const templates = changes.mailTemplates;
      const set = {
        ...pickChanges(changes, CHANGEABLE),
        ...pickParts('whiteLabel', changes.whiteLabel, WHITE_LABEL_PARTS),
        ...pickParts('policy', changes.policy, POLICY_PARTS),
        ...(templates === undefined ? {} : { mailTemplates: storedMailTemplates(templates) }),
        updatedAt: deps.now(),
      };
      // What it answers may already hold a later writer's change: it is the org as it is afterwards all the same.
      const options = { returnDocument: 'after' } as const;
      const document = await mongoCall(() => collection.findOneAndUpdate({ _id: id }, { $set: set }, options));
      return document === null ? null : readOrg(document);
    },
  };
}
