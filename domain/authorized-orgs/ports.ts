/**
 * The module `authorized-orgs`: orgs that deploy and manage a service which another org owns (spec 2, "Authorized orgs").
 *
 * Keying: the list stands on the record of its service, replaced as a whole and conditionally on its revision. The
 * workflow `authorized-orgs/<service id>` makes one change after the other, and ends when there is nothing to do.
 * Retries: activities are retried until they succeed. The list is written first, and holds from then on; then the history,
 * the audit ledger, the clients of the org and the git host are made to agree with it, which can be repeated.
 * Where the workflow is terminated on the way, the next hour goes on: the history says what is not taken from whom.
 * Compensation: none. What a deploy gave while an org was taken out is taken back by whoever sees it last.
 */

import type { SharingChange } from '../catalog/service.ts';
import type { Page, PageRequest } from '../page.ts';
import type { RepoRole } from '../repo-role.ts';
import type { ChangeSharing, Member, SharingRecorded } from './messages.ts';

/** A change as the history keeps it. */
export interface SharingHistoryEntry extends SharingChange {
  readonly serviceId: string;
}

/** An org that was taken out, of which something may have what it had by sharing the service. */
export interface OrgTakenOut {
  readonly serviceId: string;
  readonly org: string;
  /** Revision of the list by the change. */
  readonly takenOut: number;
}

/** Who let which org share a service, and who took it out. */
export interface SharingHistory {
  /**
   * Idempotent on the id: the first one stays.
   * @param takenOut revision of the list, where the change takes an org out: it is listed as unfinished from then on
   * @throws UNAVAILABLE
   */
  add(entry: SharingHistoryEntry, takenOut?: number): Promise<void>;
  /** Changes that took an org out and of which nobody said that all was taken from it. @throws UNAVAILABLE */
  listUnfinished(page: PageRequest): Promise<Page<OrgTakenOut>>;
  /** Nothing has any more what the org had by sharing the service up to that change. Idempotent. @throws UNAVAILABLE */
  finish(of: OrgTakenOut): Promise<void>;
  /** Newest first. */
  list(serviceId: string, page: PageRequest): Promise<Page<SharingHistoryEntry>>;
  /** Forgets a service that is gone. */
  removeService(serviceId: string): Promise<void>;
}

/** The workflows of the module, for the API and for deploys. */
export interface SharingCommands {
  /** @throws VALIDATION_FAILED, CONFLICT, NOT_FOUND as the rules say; SERVICE_NOT_FOUND, SERVICE_BUSY; UNAVAILABLE */
  change(change: ChangeSharing): Promise<SharingRecorded>;
  /** Takes the repository of a service that is being removed from the orgs that share it. @throws UNAVAILABLE */
  withdraw(serviceId: string): Promise<void>;
  /** Makes the git host agree with what the org of a person may use. Returns when it is begun. @throws UNAVAILABLE */
  reconcileMember(member: Member): Promise<void>;
}

/**
 * Repositories at the platform's git host. Every method is idempotent and may fail with UNAVAILABLE (retryable, of the
 * system `git-host`). A repository is `owner/name`; one that is not there is no error.
 */
export interface RepositoryAccess {
  /** Gives the members whom the org has at the git host exactly this role; `none` takes it from them. */
  setOrgRole(of: OrgRole, signal?: AbortSignal): Promise<void>;
  /** Links the account of a person, and makes the org and their membership there. */
  ensureMember(member: Member, signal?: AbortSignal): Promise<void>;
}

export interface OrgRole {
  readonly repository: string;
  readonly org: string;
  readonly role: RepoRole;
}
