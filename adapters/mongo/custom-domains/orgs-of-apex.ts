import type { Collection, Filter } from 'mongodb';
import type { OrgsOfApex } from '../../../domain/custom-domains/claim.ts';
import { proofName } from '../../../domain/custom-domains/ownership-proof.ts';
import { mongoCall } from '../connect.ts';
import { type DomainDocument, readDomain } from './domain-document.ts';

/** Orgs that have to do with names of a registrable domain. @throws UNAVAILABLE (retryable) */
export async function readOrgsOfApex(
  collection: Collection<DomainDocument>,
  apex: string,
  leftSince: Date,
): Promise<OrgsOfApex> {
  const { distinct, claimants } = orgsBy(collection, apex);
  const owned = { 'holder.ownedSince': { $ne: null } };
  // Of one that has failed nobody knows where it leads by now.
  const led = { ...owned, 'holder.strayedAt': null, 'holder.state': { $ne: 'failed' } };
  const atApex = { $or: [{ _id: apex }, { 'holder.proof.name': proofName(apex) }] };
  const managed = {
    ...{ 'holder.mode': 'cloudflare', 'holder.proof': null, 'holder.provenAt': null },
    // Where the platform has no zones, the customer sets the record: that gives it the name alone.
    'holder.zone.status': 'active',
  };
  const [owning, left, leftEver, proven, delegated, holding, zoneMade] = await Promise.all([
    claimants(owned),
    distinct('former.org', { 'former.until': { $gt: leftSince } }),
    distinct('former.org', {}),
    // A proof that an org published for a service of another one gives it nothing else.
    claimants({ ...led, ...atApex, 'holder.provenAt': { $ne: null }, 'holder.sharingRevision': null }),
    claimants({ ...led, ...managed }),
    claimants({ 'holder.org': { $ne: null }, 'holder.state': { $ne: 'failed' } }),
    newestZone(collection, apex),
  ]);
  return { owning, left, leftEver, proven, delegated, holding, zoneMade };
}

/** Orgs whose names of a registrable domain, for services of their own, were proven or came to lead here after a time. @throws UNAVAILABLE (retryable) */
export async function readOrgsShownSince(
  collection: Collection<DomainDocument>,
  apex: string,
  since: Date,
): Promise<readonly string[]> {
  const shown = ['holder.provenAt', 'holder.ownedSince'].map((field) => ({ [field]: { $gt: since } }));
  const there = { 'holder.strayedAt': null, 'holder.removingSince': null, 'holder.sharingRevision': null };
  return await orgsBy(collection, apex).claimants({ $or: shown, ...there });
}

function orgsBy(collection: Collection<DomainDocument>, apex: string) {
  const distinct = async (field: string, condition: object): Promise<readonly string[]> => {
    const filter = { apex, ...condition } as Filter<DomainDocument>;
    const found: readonly unknown[] = await mongoCall(() => collection.distinct(field, filter));
    return found.filter((org) => typeof org === 'string');
  };
  const claimants = async (condition: object): Promise<readonly string[]> => {
    // Names that were added before orgs that share a service were told apart are the owner's.
    const [told, owners] = await Promise.all([
      distinct('holder.claimant', condition),
      distinct('holder.org', { ...condition, 'holder.claimant': null }),
    ]);
    return [...new Set([...told, ...owners])];
  };
  return { distinct, claimants };
}

async function newestZone(collection: Collection<DomainDocument>, apex: string): Promise<OrgsOfApex['zoneMade']> {
  const filter = { apex, 'zoneMade.org': { $ne: null } } as Filter<DomainDocument>;
  const [newest] = await mongoCall(() => collection.find(filter).sort({ 'zoneMade.at': -1 }).limit(1).toArray());
  return newest === undefined ? null : readDomain(newest).zoneMade;
}
