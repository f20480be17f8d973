/**
 * The module `git-identities`: which person of the platform an account at a git host is.
 *
 * Keying: a person has one account at a host, and an account belongs to one person; unique indexes hold both. A person shows
 * that an account is theirs with a token of it, once; the token is asked for its account and then forgotten.
 * Retries: linking again replaces what the person had linked at that host.
 * Compensation: none.
 */

import type { GitProvider } from '../git-provider.ts';
import type { OrgRole } from '../roles.ts';
import type { GitIdentity } from './git-identity.ts';

export interface GitIdentityStore extends GitIdentities {
  /**
   * Links an account, in the place of what the person had at that host. An account that has the login of another one by now
   * takes its place: the host gave the login away.
   * @returns false when the account is another person's @throws UNAVAILABLE
   */
  link(identity: GitIdentity): Promise<boolean>;
  /** All of a person, ordered by host. */
  listOf(userId: string): Promise<readonly GitIdentity[]>;
  /** Of these people, at one host. */
  listAt(hostKey: string, userIds: readonly string[]): Promise<readonly GitIdentity[]>;
  /** Unlinks one of a person's own. @returns what it was; null when they have no such one */
  unlink(userId: string, id: string): Promise<GitIdentity | null>;
}

/** An account as a git host names who did something. */
export interface HostAccount {
  /** As `hostOfRepository` names the host. */
  readonly hostKey: string;
  readonly login: string;
  /** The host's own id of the account, where it is told: an account that took over a login is another one. */
  readonly accountId: string | null;
}

export interface GitIdentities {
  /**
   * The person who linked an account; null for nobody. It tells who somebody is, not what they may do: ask their role when
   * something is to be done in their name, as `findDeployer` does.
   * @throws UNAVAILABLE
   */
  findPerson(account: HostAccount): Promise<GitIdentity | null>;
}

/** What orgs let people do now. The identity provider knows. */
export interface MemberDirectory {
  /**
   * The strongest role of a person in an org at this moment; null for one that is not in it, is suspended there or
   * altogether, or when the org is not there or suspended.
   * @throws UNAVAILABLE (retryable) when the provider does not answer
   */
  memberRole(org: string, userId: string): Promise<OrgRole | null>;
  /** All who have a role in an org at this moment, with the strongest; nobody for an org that is not there. @throws UNAVAILABLE */
  listMembers(org: string): Promise<readonly { readonly userId: string; readonly role: OrgRole }[]>;
}

/** Accounts at git hosts, over their APIs. */
export interface GitAccounts {
  /**
   * The account that a token opens. The token goes to that host alone, and is kept nowhere.
   * @param hostAddress as `NamedHost.address`
   * @throws GIT_TOKEN_REFUSED, RATE_LIMITED, UNAVAILABLE, SOURCE_REFUSED as the port `GitHost` says; NOT_FOUND for a host
   *   that has no such API
   */
  accountOf(
    host: { readonly provider: GitProvider; readonly hostAddress: string; readonly token: string },
    signal?: AbortSignal,
  ): Promise<{ readonly accountId: string; readonly login: string }>;
}
