/**
 * The module `orgs`: organizations, memberships, invitations, and clients that manage people of an org.
 *
 * Keying: an org is unique by slug, a membership by user and org, a grant by client and org. An invitation is found by
 * the hash of its token.
 * Retries: none here; every change is one HTTP request. An invitation is accepted by one conditional update.
 * Compensation: none. Suspending keeps the records, and restoring makes them valid again.
 */

import type { WhiteLabel } from '../branding/white-label.ts';
import type { Page, PageRequest } from '../page.ts';
import type { OrgRole } from '../roles.ts';
import type { InviteRecord, Membership, OrgGrant, OrgRecord } from './org.ts';
import type { OrgPolicy } from './policy.ts';

/** Of `whiteLabel` and `policy` the parts that are given change, so that two who change one each lose neither. */
export type OrgChanges = Partial<Pick<OrgRecord, 'name' | 'modules' | 'mailTemplates' | 'suspendedAt'>> & {
  readonly whiteLabel?: Partial<WhiteLabel>;
  readonly policy?: Partial<OrgPolicy>;
};

export interface OrgStore {
  /** @throws ORG_EXISTS when the slug is taken, or when it is a second platform org. */
  insert(org: OrgRecord): Promise<void>;
  /** By id (`ORG-…`) or slug. */
  find(idOrSlug: string): Promise<OrgRecord | null>;
  findPlatformOrg(): Promise<OrgRecord | null>;
  findMany(ids: readonly string[]): Promise<readonly OrgRecord[]>;
  /** Ordered by slug. */
  list(page: PageRequest): Promise<Page<OrgRecord>>;
  /** The org as it is afterwards; null when there is none. */
  update(id: string, changes: OrgChanges): Promise<OrgRecord | null>;
}

export interface MembershipStore {
  /** Creates the membership or replaces roles and modules of the one there is, which stays suspended if it is. One write. */
  put(membership: Membership): Promise<void>;
  /**
   * Replaces roles and modules of a membership that still has the roles and modules of `before`, as it was read. False:
   * somebody changed them since, or there is none. Of many at once one wins.
   */
  replaceRights(before: Membership, after: Pick<Membership, 'roles' | 'modules' | 'updatedAt'>): Promise<boolean>;
  /** Creates it unless there is one; false when there was, which stays as it is. */
  insert(membership: Membership): Promise<boolean>;
  find(userId: string, orgId: string): Promise<Membership | null>;
  listOfUser(userId: string): Promise<readonly Membership[]>;
  /** Those of several people, in no order. */
  listOfUsers(userIds: readonly string[]): Promise<readonly Membership[]>;
  listOfOrg(orgId: string, page: PageRequest): Promise<Page<Membership>>;
  setSuspended(userId: string, orgId: string, at: Date | null): Promise<boolean>;
  /** True when it existed. */
  remove(userId: string, orgId: string): Promise<boolean>;
  /** Members of an org with that role, suspended ones left out: an org must keep one admin. */
  countWithRole(orgId: string, role: OrgRole): Promise<number>;
}

export interface InviteStore {
  /** Replaces an open invitation of the same address into the same org, whose link stops working. */
  insert(invite: InviteRecord): Promise<void>;
  findByTokenHash(tokenHash: string): Promise<InviteRecord | null>;
  listOpen(orgId: string, now: Date): Promise<readonly InviteRecord[]>;
  /**
   * Takes an open, unexpired invitation for a person: of many people at once one gets it, the others null. The same person
   * gets it again until it is finished.
   */
  consume(tokenHash: string, userId: string, at: Date): Promise<InviteRecord | null>;
  /** Marks one that was taken as finished: true once. */
  finish(tokenHash: string, at: Date): Promise<boolean>;
  /** The same with all that a person took into an org: whoever is taken out does not come back by one that was cut off. */
  finishAllOf(userId: string, orgId: string, at: Date): Promise<void>;
  revoke(id: string, orgId: string, at: Date): Promise<boolean>;
}

export interface OrgGrantStore {
  /** Idempotent: an approval that stands keeps who gave it. */
  approve(grant: OrgGrant): Promise<void>;
  find(clientId: string, orgSlug: string): Promise<OrgGrant | null>;
  listOfOrg(orgSlug: string): Promise<readonly OrgGrant[]>;
  revoke(clientId: string, orgSlug: string): Promise<boolean>;
}
