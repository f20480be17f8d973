/**
 * The module `custom-domains`: names of their own that services are served at, in three modes (spec 2, "Custom domains").
 *
 * Keying: a name is one document, whose id is the name, and one workflow, `domain/<name>`; so it has one holder in the
 * installation, and whoever comes first is decided in one place.
 * Retries: every write at a vendor says a state, compares before it and reads back after it.
 * Compensation: an add that is refused gives the name back. A removal undoes in the order route, certificate, callback,
 * record, name: nothing is free to claim that still leads somewhere.
 */

import type { Environment } from '../environment.ts';
import type { Page, PageRequest } from '../page.ts';
import type { DnsLook } from '../properties/dns-look.ts';
import type { AddressLook } from './address-look.ts';
import type { OrgsOfApex } from './claim.ts';
import type { ZoneRecord } from './conflicts.ts';
import type { CustomDomain, HeldDomain } from './custom-domain.ts';
import type { AddressRecord } from './mode.ts';

export interface DomainFilter {
  /** Ids of the services; absent for all. */
  readonly serviceIds?: readonly string[];
  readonly environment?: Environment;
  /** A registrable domain. */
  readonly apex?: string;
}

/** Names by themselves. @throws UNAVAILABLE (retryable) from every method */
export interface CustomDomainStore {
  /** As a majority of the database has it. */
  find(domain: string): Promise<CustomDomain | null>;
  /** Those that somebody holds, by name, none of which a majority of the database has is overlooked. */
  list(filter: DomainFilter, page: PageRequest): Promise<Page<HeldDomain>>;
  /** @param leftSince names that were given back before do not count */
  orgsOfApex(apex: string, leftSince: Date): Promise<OrgsOfApex>;
  /** Orgs that have shown since, for services of their own, that a name of a registrable domain is theirs, and not lost it. */
  orgsShownSince(apex: string, since: Date): Promise<readonly string[]>;
  /** Whether a name is held, and has not failed, whose record the platform writes into the zone of a registrable domain. */
  usesZone(apex: string): Promise<boolean>;
  /** Names whose adds had zones made that are not known to be removed, by name. @param apex of that registrable domain alone */
  listZonesMade(page: PageRequest, apex?: string): Promise<Page<CustomDomain>>;
  /** What an org has under way. @param since zones that were made before do not count */
  usageOf(claimant: string, since: Date): Promise<DomainUsage>;
  /** A name that no record is of. @returns false when there is one */
  insert(record: CustomDomain): Promise<boolean>;
  /** @throws CONFLICT (retryable) when the stored one has another revision than the one before, or is gone */
  replace(record: CustomDomain): Promise<void>;
  /** Forgets a name. @throws CONFLICT (retryable) when the stored one has another revision than this one, or is gone */
  remove(record: CustomDomain): Promise<void>;
}

/** What an org takes of what all share. */
export interface DomainUsage {
  /** Names that it holds. */
  readonly held: number;
  /** Of these, names that are not known to be its own. */
  readonly waiting: number;
  /** How often its adds had zones made at the DNS provider, whatever became of these and of the names. */
  readonly zonesMade: number;
  /** Of all orgs, without those that were removed since. */
  readonly zonesMadeByAll: number;
}

/** A zone in the platform's account at the DNS provider. */
export interface DomainZone {
  readonly id: string;
  readonly name: string;
  /** `pending` until the registrar delegates the domain to the name servers of the zone; `unknown` where nobody says that. */
  readonly status: 'active' | 'pending' | 'unknown';
  readonly nameServers: readonly string[];
  /** Those that the domain had before, as the provider knows them. */
  readonly originalNameServers: readonly string[];
}

export interface ProviderRecord extends ZoneRecord {
  /** Whether the provider's edge answers in the place of the target. */
  readonly isProxied: boolean;
}

/**
 * Zones of the platform's DNS provider. Each write compares what stands there with what was read, and reads back what it
 * wrote. Of other types, and of other names, nothing is touched.
 * @throws DNS_PROVIDER_REFUSED, or UNAVAILABLE (retryable) from every method
 */
export interface DomainZones {
  /** The zone of a registrable domain. */
  findZone(apex: string, signal?: AbortSignal): Promise<DomainZone | null>;
  /** Makes the zone, or finds the one that was made meanwhile. */
  createZone(apex: string, signal?: AbortSignal): Promise<DomainZone>;
  /**
   * Removes a zone that is known to have no domain delegated to it, and that has nothing in it but what this installation wrote.
   * @returns false where it stays
   */
  removeZone(zone: DomainZone, signal?: AbortSignal): Promise<boolean>;
  /** All A, AAAA and CNAME records at a name. */
  read(zone: DomainZone, name: string, signal?: AbortSignal): Promise<readonly ProviderRecord[]>;
  /**
   * Has one address record at a name in the place of those that were read; null for none. Idempotent.
   * @throws CONFLICT (retryable) when others stand there than were read, and nothing is changed
   */
  replace(zone: DomainZone, name: string, change: RecordChange, signal?: AbortSignal): Promise<void>;
  /** Has a TXT record of ours with that text at a name, beside those that there are. Idempotent. */
  putText(zone: DomainZone, name: string, text: string, signal?: AbortSignal): Promise<void>;
  /** Takes that record away; none is no error. */
  removeText(zone: DomainZone, name: string, text: string, signal?: AbortSignal): Promise<void>;
}

export interface RecordChange {
  readonly expected: readonly AddressRecord[];
  readonly wanted: AddressRecord | null;
}

/** The public DNS of names. It fails never: what cannot be read is told. */
export interface DomainDns {
  /** Where a name leads: by the servers of its zone, and by public resolvers once these show what is wanted, or are too few. */
  lookUpAddresses(name: DomainQuestion, wanted: AddressRecord, signal?: AbortSignal): Promise<AddressLook>;
  lookUpText(name: DomainQuestion, wanted: string, signal?: AbortSignal): Promise<DnsLook>;
}

export interface DomainQuestion {
  readonly name: string;
  /** The registrable domain that it is in. */
  readonly apex: string;
  /** Whether it matters that it leads elsewhere: where too few servers of its zone answer to say so, resolvers are asked as well. */
  readonly needsWitnesses?: boolean;
}

/** A name as the certificates of its service know it. */
export interface CertificateName {
  readonly host: string;
  readonly state: 'waiting' | 'issued' | 'served' | 'failed';
  readonly reason: string | null;
  /** ISO time at which what was issued ends; null without one. */
  readonly notAfter: string | null;
  /** ISO time at which it was last seen served; null for never. */
  readonly servedAt: string | null;
}

/** The certificate of a service in an environment. @throws UNAVAILABLE (retryable) */
export interface Certificates {
  /** The whole list of names that it is wished for; an empty one ends it. */
  set(place: DomainPlace, names: readonly string[]): Promise<void>;
  read(place: DomainPlace): Promise<readonly CertificateName[]>;
}

/** Monitors that watch names, which deploys have registered. */
export interface DomainMonitors {
  /** Ends the one of a name of a service; none is no error. Idempotent. @throws UNAVAILABLE (retryable), and what it refuses */
  remove(name: DomainPlace & { readonly domain: string }, signal?: AbortSignal): Promise<void>;
}

export interface DomainPlace {
  readonly service: string;
  readonly environment: Environment;
}
