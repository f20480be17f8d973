import { FairleadError } from '../../../domain/errors.ts';
import type { GitIdentity } from '../../../domain/git-identities/git-identity.ts';
import type { GitAccounts, GitIdentityStore, MemberDirectory } from '../../../domain/git-identities/ports.ts';
import { hasOrgRole, ORG_ROLES, type OrgRole } from '../../../domain/roles.ts';

export function createInMemoryGitIdentities(): GitIdentityStore {
  const kept = new Map<string, GitIdentity>();
  const all = (): readonly GitIdentity[] => [...kept.values()];
  const sameLogin = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  return {
    async link(identity) {
      const { userId, hostKey, accountId, login } = identity;
      const there = all().filter((each) => each.hostKey === hostKey);
      if (there.some((each) => each.accountId === accountId && each.userId !== userId)) return false;
      const own = there.find((each) => each.userId === userId);
      for (const each of there) if (each.userId !== userId && sameLogin(each.login, login)) kept.delete(each.id);
      const id = own?.id ?? identity.id;
      kept.set(id, { ...identity, id });
      return true;
    },
    async findPerson({ hostKey, login, accountId }) {
      const found = all().find((each) => each.hostKey === hostKey && sameLogin(each.login, login));
      return found === undefined || (accountId !== null && found.accountId !== accountId) ? null : found;
    },
    async listOf(userId) {
      return all()
        .filter((each) => each.userId === userId)
        .sort((a, b) => (a.hostKey < b.hostKey ? -1 : 1));
    },
    async listAt(hostKey, userIds) {
      return all().filter((each) => each.hostKey === hostKey && userIds.includes(each.userId));
    },
    async unlink(userId, id) {
      const found = kept.get(id);
      if (found?.userId !== userId) return null;
      kept.delete(id);
      return found;
    },
  };
}

/** Accounts by token; any other token is refused. */
export function createInMemoryGitAccounts(
  accounts: ReadonlyMap<string, { readonly accountId: string; readonly login: string }>,
): GitAccounts {
  return {
    async accountOf({ token }, signal) {
      signal?.throwIfAborted();
      const account = accounts.get(token);
      if (account === undefined) throw new FairleadError('GIT_TOKEN_REFUSED', 'The git host does not know the token');
      return account;
    },
  };
}

export interface InMemoryMembers extends MemberDirectory {
  /** Roles as `<org> <user id>`. */
  readonly roles: Map<string, OrgRole>;
}

export function createInMemoryMembers(roles: Readonly<Record<string, OrgRole>> = {}): InMemoryMembers {
  const kept = new Map(Object.entries(roles));
  return {
    roles: kept,
    memberRole: async (org, userId) => kept.get(`${org} ${userId}`) ?? null,
    listMembers: async (org) =>
      [...kept]
        .filter(([key]) => key.startsWith(`${org} `))
        .map(([key, role]) => ({ userId: key.slice(org.length + 1), role }))
        .filter(({ role }) => hasOrgRole([role], ORG_ROLES[0])),
  };
}
