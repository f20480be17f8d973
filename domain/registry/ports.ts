/**
 * The module `registry`: the service registry, where the builder writes what is deployed, and the gateway, the status
 * page and others read it. It has nothing to do with the image registry, where images are pushed to.
 *
 * Keying: one entry a service, under the id that the builder gave it; one record a build; one changelog a package and
 * version.
 * Retries: a change of an entry is a comparison of its revision and a write, made again when another came first. All writes
 * are idempotent. No workflow belongs to this module.
 * Compensation: none. What is written of a service is replaced by its next deploy and removed with it.
 */

import type { Environment } from '../environment.ts';
import type { Page, PageRequest } from '../page.ts';
import type { DeployManifest, DeployRecord, DeploySnapshot, PackageChangelog } from './deploy-record.ts';
import type { RegistryEnvironment, ServiceEntry } from './service-entry.ts';

export interface EntryFilter {
  /** Slug of the owning org; null for all. */
  readonly org: string | null;
  /** Only services with a namespace there. */
  readonly environment?: RegistryEnvironment;
}

/** Entries of services. Every write is one conditional write of one document. */
export interface EntryStore {
  /**
   * By id; an entry that was removed as well. As a majority of the database's members has it: of what a failover took
   * back, another would have the revision.
   */
  find(id: string): Promise<ServiceEntry | null>;
  /** The service that has that name: of those that are not removed, the one that the builder made last. */
  findByName(name: string): Promise<ServiceEntry | null>;
  /** Ordered by name, then id; those that were removed are left out. */
  list(filter: EntryFilter, page: PageRequest): Promise<Page<ServiceEntry>>;
  /** False when there is one of that id already. */
  insert(entry: ServiceEntry): Promise<boolean>;
  /** False when the stored one has another revision than `seen`: then nothing is written. */
  replace(entry: ServiceEntry, seen: number): Promise<boolean>;
}

/** Which build of what a record is of. */
export type DeployKey = Pick<DeployRecord, 'buildId' | 'serviceId' | 'environment'>;

/** Manifests and snapshots. Of one service and environment the newest {@link DEPLOYS_KEPT} are kept. */
export interface DeployRecordStore {
  /**
   * Writes a part of a record. Idempotent: the part that was written first stays.
   * @throws CONFLICT when the build of that id belongs to another service or environment
   */
  put(
    key: DeployKey,
    part: { readonly manifest: DeployManifest } | { readonly snapshot: DeploySnapshot },
    at: Date,
  ): Promise<void>;
  /** Newest first. */
  list(target: { serviceId: string; environment: Environment }, page: PageRequest): Promise<Page<DeployRecord>>;
  /** The newest record that has a manifest. */
  lastManifest(target: { serviceId: string; environment: Environment }): Promise<DeployRecord | null>;
  removeService(serviceId: string): Promise<void>;
}

export interface PackageChangelogStore {
  /** Idempotent: notes that were published stay. @throws CONFLICT when others were published for that version */
  publish(changelog: PackageChangelog): Promise<void>;
  find(name: string, version: string): Promise<PackageChangelog | null>;
  /** Of one package, or of all with null; ordered by package, then version as text. */
  list(name: string | null, page: PageRequest): Promise<Page<PackageChangelog>>;
}
