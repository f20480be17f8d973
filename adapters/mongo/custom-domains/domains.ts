import type { Collection, Db, Filter } from 'mongodb';
import { isHeld } from '../../../domain/custom-domains/custom-domain.ts';
import type { CustomDomainStore, DomainFilter } from '../../../domain/custom-domains/ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { mongoCall } from '../connect.ts';
import { insertIfNew } from '../insert-new.ts';
import { pageById } from '../page-by-id.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { type DomainDocument, readDomain } from './domain-document.ts';
import { COLLECTIONS } from './indexes.ts';
import { readOrgsOfApex, readOrgsShownSince } from './orgs-of-apex.ts';

/** RFC 1035 allows a name so many characters. */
const LONGEST_NAME = 253;

/** Names in MongoDB: one document each, whose id is the name, replaced on the condition of its revision. */
export function createCustomDomainStore({ db }: { readonly db: Db }): CustomDomainStore {
  const collection: Collection<DomainDocument> = db.collection(COLLECTIONS.domains);
  /** The member that answered proves that it is the primary still: one that was cut off knows nothing of what came since. */
  const confirm = async (domain: string): Promise<void> => void (await readConfirmed(collection, { _id: domain }));
  return {
    async find(domain) {
      const document = await readConfirmed(collection, { _id: domain });
      return document === null ? null : readDomain(document);
    },
    async list(filter, page) {
      const found = { page, filter: toQuery(filter), read: readDomain, longestId: LONGEST_NAME };
      const { items, nextCursor } = await pageById(collection, found);
      await confirm(items[0]?.domain ?? '');
      return { items: items.filter(isHeld), nextCursor };
    },
    orgsOfApex: (apex, leftSince) => readOrgsOfApex(collection, apex, leftSince),
    orgsShownSince: (apex, since) => readOrgsShownSince(collection, apex, since),
    async usesZone(apex) {
      const filter = { apex, 'holder.mode': 'cloudflare', 'holder.state': { $ne: 'failed' } } as Filter<DomainDocument>;
      const found = await mongoCall(() => collection.findOne(filter));
      if (found === null) await confirm(apex);
      return found !== null;
    },
    async listZonesMade(page, apex) {
      const left = [{ 'zoneMade.isGone': { $ne: true } }, { 'zoneMade.isRemoving': true }];
      const made = { 'zoneMade.org': { $ne: null }, $or: left, ...(apex !== undefined && { apex }) };
      const filter = made as Filter<DomainDocument>;
      const found = await pageById(collection, { page, filter, read: readDomain, longestId: LONGEST_NAME });
      await confirm(found.items[0]?.domain ?? '');
      return found;
    },
    async usageOf(claimant, since) {
      const count = (filter: object): Promise<number> =>
        mongoCall(() => collection.countDocuments(filter as Filter<DomainDocument>));
      const [held, waiting, zonesMade, zonesMadeByAll] = await Promise.all([
        count({ 'holder.claimant': claimant }),
        count({ 'holder.claimant': claimant, 'holder.ownedSince': null }),
        countZonesMade(collection, claimant, since),
        count({ 'zoneMade.at': { $gt: since }, 'zoneMade.isGone': { $ne: true } }),
      ]);
      return { held, waiting, zonesMade, zonesMadeByAll };
    },
    insert: async ({ domain, ...fields }) => await insertIfNew(collection, { _id: domain, ...fields }),
    async replace({ domain, ...fields }) {
      const known = { _id: domain, revision: fields.revision - 1 };
      const { matchedCount } = await mongoCall(() => collection.replaceOne(known, fields));
      if (matchedCount !== 1) throw changedMeanwhile(domain);
    },
    async remove({ domain, revision }) {
      const { deletedCount } = await mongoCall(() => collection.deleteOne({ _id: domain, revision }));
      if (deletedCount !== 1) throw changedMeanwhile(domain);
    },
  };
}

/** Names whose zones were made before each making was kept count once. */
async function countZonesMade(collection: Collection<DomainDocument>, org: string, since: Date): Promise<number> {
  const at = { $gt: since };
  const each = [
    { zonesMade: { $elemMatch: { org, at } } },
    { zonesMade: null, 'zoneMade.org': org, 'zoneMade.at': at },
  ];
  const found = await mongoCall(() => collection.find({ $or: each } as Filter<DomainDocument>).toArray());
  const made = found.flatMap((document) => readDomain(document).zonesMade);
  return made.filter((one) => one.org === org && one.at > since).length;
}

function changedMeanwhile(domain: string): FairleadError {
  return new FairleadError('CONFLICT', `Another request is changing ${domain}; try again`, { retryable: true });
}

function toQuery({ serviceIds, environment, apex }: DomainFilter): Filter<DomainDocument> {
  return {
    'holder.serviceId': serviceIds === undefined ? { $ne: null } : { $in: [...serviceIds] },
    ...(environment !== undefined && { 'holder.environment': environment }),
    ...(apex !== undefined && { apex }),
  } as Filter<DomainDocument>;
}
