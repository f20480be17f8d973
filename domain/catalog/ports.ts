/**
 * The module `catalog`: service records, and the catalog files that describe a service.
 *
 * Keying: a service has an id and a name that is unique in the installation.
 * Retries: a change is one atomic upsert by name. When another request inserted the name first, it is tried once more and
 * then fails with CONFLICT. No workflow belongs to this module.
 * Compensation: none. The workflow `service-removal/<service>` of `deploys` removes workloads before the record.
 */

import type { SealedSecret } from '../config/sealed-secret.ts';
import type { VariableChanges } from '../config/variable-change.ts';
import type { Environment } from '../environment.ts';
import type { Page, PageRequest } from '../page.ts';
import type { OAuthCredential, ScopeGrant, ServiceRecord, ServiceSharing } from './service.ts';

/**
 * What a caller may set on a service; an absent field keeps what is stored. Variables are those of all environments,
 * merged name by name.
 */
export interface ServiceChanges extends Partial<VariableChanges> {
  readonly gitUrl?: string | null;
  readonly branch?: string | null;
  readonly appPath?: string | null;
  readonly dockerfilePath?: string | null;
  readonly port?: number | null;
}

/** Where a service has a sealed value: a variable of all environments or of one, or the credential of its client. */
export type SealedPlace =
  | { readonly kind: 'variable'; readonly environment: Environment | null; readonly name: string }
  | { readonly kind: 'credential'; readonly environment: Environment };

/** Service records; names are unique and every write is one atomic document update. */
export interface ServiceStore {
  /**
   * Creates the service, or merges `changes` into the one of that name. Two callers at once make one record.
   * @param seen revision of the variables that the changes were checked against, 0 for no service; absent for any
   * @throws SERVICE_OWNER_MISMATCH when a service of that name belongs to another org; SERVICE_BUSY while it is removed;
   *   CONFLICT (retryable) when its variables are of another revision than `seen`
   */
  upsert(
    key: { id: string; name: string; org: string },
    changes: ServiceChanges,
    seen?: number,
  ): Promise<{ service: ServiceRecord; created: boolean }>;
  /**
   * Merges changes name by name over the variables of one environment; null for those of all.
   * @param seen as with `upsert`
   * @returns the record after it; null when there is no such service.
   * @throws SERVICE_BUSY while it is removed; CONFLICT (retryable) as `upsert`
   */
  changeVariables(
    id: string,
    environment: Environment | null,
    changes: VariableChanges,
    seen?: number,
  ): Promise<ServiceRecord | null>;
  /**
   * By id (`svc_…`) or by name; null when there is none. While the database fails over it may answer with what was true
   * before: for what is shown, what a conditional write checks, and what a later step looks at again.
   */
  find(idOrName: string): Promise<ServiceRecord | null>;
  /**
   * As `find`, confirmed by a majority of the database: for what gives, takes or removes something by the answer alone.
   * It waits for that majority, so it is not for every request. @throws UNAVAILABLE when none confirms it
   */
  findConfirmed(idOrName: string): Promise<ServiceRecord | null>;
  /** Ordered by name. `org` keeps to services that org owns or is authorized for; null lists all. */
  list(filter: { org: string | null }, page: PageRequest): Promise<Page<ServiceRecord>>;
  /** Notes that it is being removed, or that it is not after all. False when there is no such service, and for `false` once its removal is decided. */
  setRemoving(id: string, isRemoving: boolean): Promise<boolean>;
  /** From now on its removal is not taken back. False when it is not being removed, or not any more. */
  decideRemoval(id: string): Promise<boolean>;
  /** True when it existed. */
  remove(id: string): Promise<boolean>;
  /**
   * Replaces which orgs share the service, and with it `authorizedOrgs`: one write. False when it is of another revision
   * than `seen` by now, when the service is being removed, or when there is none.
   */
  setSharing(id: string, sharing: ServiceSharing, seen: number): Promise<boolean>;
  setLastBuild(id: string, buildId: string): Promise<void>;
  /** Notes that the service has a place in that environment from now on. Idempotent: the first moment stays. */
  addNamespace(id: string, environment: Environment): Promise<void>;
  /** Notes under which id the uptime monitor knows it in that environment. Idempotent: the last id stays. */
  setMonitor(id: string, environment: Environment, monitorId: string): Promise<void>;
  /** Puts the credential in the place of the one there is, and counts it. False when there is no such service. */
  setOAuthCredential(id: string, environment: Environment, credential: OAuthCredential): Promise<boolean>;
  /** Puts the list in the place of the one there is. False when there is no such service. */
  setPendingGrants(id: string, environment: Environment, grants: readonly ScopeGrant[]): Promise<boolean>;
  /** Puts the list of names in the place of the one there is. False when there is no such service. */
  setPendingCallbacks(id: string, environment: Environment, names: readonly string[]): Promise<boolean>;
  /**
   * Puts another sealed form of the same value in the place of `from`. False when something else is there by now: then
   * nothing is written.
   */
  replaceSealed(id: string, place: SealedPlace, change: { from: SealedSecret; to: SealedSecret }): Promise<boolean>;
  /** Takes the credential of that client away; one of another client stays. */
  clearOAuthCredential(id: string, environment: Environment, clientId: string): Promise<void>;
}
