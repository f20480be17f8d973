/**
 * The module `grants`: scopes that a service of one org has of a service of another, once that org agreed.
 *
 * Keying: a grant belongs to a service in one environment and a target service, by their ids: a later service of either
 * name inherits nothing. The entity workflow `grant/<client>/<target>` makes one change after the other.
 * Retries: activities are retried until they succeed. The record is written first, conditionally on its revision; then the
 * client at the identity provider is made to agree with the record, which can be repeated.
 * Compensation: none. What a deploy added to a client while the grant was revoked is taken back by whoever sees it last.
 */

import type { Page, PageRequest } from '../page.ts';
import type { Grant, GrantKey, GrantStatus } from './grant.ts';
import type { GrantView } from './grant-schema.ts';
import type { GrantRequest, GrantTransition } from './messages.ts';

export interface GrantFilter {
  /** Grants that services of this org asked for, or were asked for; null for all. */
  readonly org: string | null;
  readonly status?: GrantStatus;
}

export interface GrantStore {
  find(id: string): Promise<Grant | null>;
  /**
   * The one grant of that key, by the ids of its services, confirmed by a majority of the database: scopes are given by the
   * answer alone. @throws UNAVAILABLE when none confirms it
   */
  findFor(key: GrantKey): Promise<Grant | null>;
  /** False when there is one of its key. @throws UNAVAILABLE */
  insert(grant: Grant): Promise<boolean>;
  /** Replaces the grant of that id and revision; false when it has another revision by now, or is gone. */
  replace(grant: Grant, revision: number): Promise<boolean>;
  /** Newest request first. */
  list(filter: GrantFilter, page: PageRequest): Promise<Page<Grant>>;
  /** All that a service asked for, or was asked for. */
  ofService(serviceId: string): Promise<readonly Grant[]>;
  /** Idempotent. */
  remove(id: string): Promise<void>;
}

/** The workflows of grants, for the API and for deploys. */
export interface GrantCommands {
  /** @throws CONFLICT as the rules say; UNAVAILABLE */
  request(key: GrantKey, request: GrantRequest): Promise<GrantView>;
  /** @throws CONFLICT as the rules say, NOT_FOUND when the grant is gone; UNAVAILABLE */
  decide(key: GrantKey, transition: GrantTransition): Promise<GrantView>;
  /** Makes the client agree with its grant, as after a deploy made the client. @throws UNAVAILABLE */
  apply(key: GrantKey): Promise<void>;
  /** Ends the workflow of a grant that was removed. Idempotent. @throws UNAVAILABLE */
  close(key: GrantKey): Promise<void>;
}
