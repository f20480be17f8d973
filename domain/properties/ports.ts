/**
 * The module `properties`: the domains of the organisation, and their verification with the search engine.
 *
 * Keying: a Property is known by its domain. One run of the verification of a domain is there at a time, by the id of its
 * workflow; the sync of the map has one id for all.
 * Retries: every call of a vendor says a state (a record that is there, an owner who is one) and is repeated freely.
 * Compensation: none. What a run has reached stays on the Property, and the next run begins from there.
 */

import type { Page, PageRequest } from '../page.ts';
import type { DnsLook } from './dns-look.ts';
import type { DomainMap } from './domain-map.ts';
import type { Property, PropertyStatus, SourceKind } from './property.ts';
import type { DomainOutcome, VerifyJob } from './verify-job.ts';

export interface PropertyFilter {
  readonly status?: PropertyStatus;
  readonly family?: string;
  readonly role?: string;
  readonly source?: SourceKind;
}

export interface PropertyPage {
  readonly items: readonly Property[];
  /** How many the filter matches in all. */
  readonly total: number;
}

/** Properties by their domains. @throws UNAVAILABLE (retryable) from every method */
export interface PropertyStore {
  find(domain: string): Promise<Property | null>;
  /** By domain, from `offset` on. */
  list(filter: PropertyFilter, page: { readonly limit: number; readonly offset: number }): Promise<PropertyPage>;
  /** All, by domain. */
  listAll(page: PageRequest): Promise<Page<Property>>;
  /** @returns false when there is one of that domain */
  insert(property: Property): Promise<boolean>;
  /** @throws CONFLICT (retryable) when the stored one has another revision than the one before, or is gone */
  replace(property: Property): Promise<void>;
}

/** Jobs of verifications. @throws UNAVAILABLE (retryable) from every method */
export interface VerifyJobStore {
  insert(job: VerifyJob): Promise<void>;
  find(id: string): Promise<VerifyJob | null>;
  /** Of one that never began. */
  remove(id: string): Promise<void>;
  /**
   * Adds what came of a domain; what came of it first stays. With the last one the job is done. No error without a job, or
   * for a domain that is none of its own.
   */
  recordOutcome(id: string, outcome: DomainOutcome): Promise<void>;
  /** Running ones that were begun before a time, by id. */
  listRunning(begunBefore: Date, page: PageRequest): Promise<Page<VerifyJob>>;
}

/** Where the domain map is read. */
export interface DomainMapSource {
  /** @throws DOMAIN_MAP_UNREADABLE, UNAVAILABLE (retryable) */
  read(signal?: AbortSignal): Promise<DomainMap>;
}

/**
 * The search engine, as the platform's account there.
 * @throws GOOGLE_PERMISSION, GOOGLE_REFUSED, GOOGLE_NOT_CONFIGURED, or UNAVAILABLE (retryable) from every method
 */
export interface SearchEngine {
  /** What a TXT record at the apex has to hold; the same each time. */
  requestToken(domain: string): Promise<string>;
  /** Has it look for the record, once. It says false when it finds none. */
  confirm(
    domain: string,
  ): Promise<{ readonly confirmed: true } | { readonly confirmed: false; readonly reason: string }>;
  /** Whether it holds the account for an owner now. */
  isVerified(domain: string): Promise<boolean>;
  /** Makes people owners besides those there are; idempotent. @returns all owners */
  addOwners(domain: string, emails: readonly string[]): Promise<readonly string[]>;
  /** Adds the console property `sc-domain:<domain>`; idempotent. */
  addProperty(domain: string): Promise<void>;
}

export interface DnsZone {
  readonly id: string;
  readonly domain: string;
  /** False while the domain's nameservers are elsewhere, as the provider sees it. */
  readonly isActive: boolean;
  readonly nameServers: readonly string[];
}

/**
 * Zones in our accounts at the DNS provider. Records that the platform did not write are never touched.
 * @throws DNS_PROVIDER_REFUSED, or UNAVAILABLE (retryable) from every method
 */
export interface DnsZones {
  findZone(domain: string): Promise<DnsZone | null>;
  /** All that are active, with what is read as a whole: a failure midway gives nothing. */
  listActive(signal?: AbortSignal): Promise<ReadonlySet<string>>;
  /** Has one TXT record of ours at the apex with that text; idempotent. A record with that text counts, whoever wrote it. */
  writeText(zone: DnsZone, text: string): Promise<void>;
}

/** The public DNS. It fails never: what cannot be read is told. */
export interface PublicDns {
  /** The TXT records at a name, by the servers of its zone; and by public resolvers once these show what is wanted. */
  lookUpText(domain: string, wanted: string, signal?: AbortSignal): Promise<DnsLook>;
  /** The nameservers that the zone is delegated to, in lower case: none where there is no such domain; null where nobody answers. */
  nameServers(domain: string, signal?: AbortSignal): Promise<readonly string[] | null>;
}
