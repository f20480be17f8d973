import type { SealedSecret } from '../config/sealed-secret.ts';
import type { ServiceVariables } from '../config/service-variables.ts';
import type { Environment } from '../environment.ts';
import type { RepoRole } from '../repo-role.ts';

/** The service record (spec 2, "Service record"), as far as the steps that exist today read and write it. */
export interface ServiceRecord extends ServiceVariables {
  /** `svc_…` */
  readonly id: string;
  /** Unique; a DNS label, because it becomes a host name. */
  readonly name: string;
  /** Slug of the owning org: billed, and the only one that may change the owner. */
  readonly org: string;
  /** Slugs of the orgs that share it: those of `sharing`, written with it. */
  readonly authorizedOrgs: readonly string[];
  readonly sharing: ServiceSharing;
  /** https URL, local path or `file://` URL of the repository; null for a service deployed by upload only. */
  readonly gitUrl: string | null;
  readonly branch: string | null;
  /** Directory of the app inside the repository, relative, without a leading slash; null means the root. */
  readonly appPath: string | null;
  readonly dockerfilePath: string | null;
  readonly port: number | null;
  /** Client credentials by environment, made at deploy and injected into the service; none without `spec.auth`. */
  readonly oauthCredentials: Readonly<Partial<Record<Environment, OAuthCredential>>>;
  /** How many credentials were stored so far, by environment; absent for none. */
  readonly credentialsStored: Readonly<Partial<Record<Environment, number>>>;
  /**
   * By environment, the services whose scopes a deploy is giving its client. By id: a later service of the same name has
   * granted nothing. What a killed deploy left is settled by the next.
   */
  readonly pendingGrants: Readonly<Partial<Record<Environment, readonly ScopeGrant[]>>>;
  /** By environment, the names whose callbacks a deploy is giving its client. What a killed deploy left is settled by the next. */
  readonly pendingCallbacks: Readonly<Partial<Record<Environment, readonly string[]>>>;
  /** Since when it has a place in an environment; each is told to the audit ledger once. */
  readonly namespaces: Readonly<Partial<Record<Environment, Date>>>;
  /** By environment, the id under which the uptime monitor knows it (`pulseMonitorId` of the contract). */
  readonly pulseMonitorIds: Readonly<Partial<Record<Environment, string>>>;
  /** How often its variables were changed; 0 for what no version has counted yet. */
  readonly variablesRevision: number;
  readonly lastBuildId: string | null;
  /** Since when it is being removed; then nothing is deployed of it any more. Null as a rule. */
  readonly removingSince: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A service of which a client is given scopes. */
export type ScopeGrant = Pick<ServiceRecord, 'id' | 'name'>;

/** The stored OAuth credential of a service in one environment (spec 1, B 4). */
export interface OAuthCredential {
  readonly clientId: string;
  readonly secret: SealedSecret;
  /** Of a secret that was asked for by hand: which one it is, and for which org; null for the platform. Absent for a deploy's. */
  readonly byHand?: { readonly secretId: string; readonly org: string | null };
}

/** Which orgs share a service, and how that came about (spec 2, "Authorized orgs"). Replaced as a whole. */
export interface ServiceSharing {
  /** How often it was changed. */
  readonly revision: number;
  readonly orgs: readonly SharingOrg[];
  /** The newest change: what a killed attempt did not tell, the next one tells. Null before the first. */
  readonly lastChange: SharingChange | null;
}

export interface SharingOrg {
  readonly org: string;
  readonly repoRole: RepoRole;
  readonly authorizedBy: string;
  readonly authorizedAt: Date;
}

export const SHARING_CHANGES = ['authorized', 'repo_role_changed', 'deauthorized'] as const;

/** One change of who shares a service. */
export interface SharingChange {
  /** `soc_…` */
  readonly id: string;
  readonly kind: (typeof SHARING_CHANGES)[number];
  readonly org: string;
  /** After the change; null for an org that was taken out. */
  readonly repoRole: RepoRole | null;
  readonly by: string;
  readonly at: Date;
}

export const NOT_SHARED: ServiceSharing = { revision: 0, orgs: [], lastChange: null };
