import type { TokenPerson } from '../../../domain/identity/build-claims.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { Membership, OrgRecord } from '../../../domain/orgs/org.ts';
import { admitsLogin, type LoginFacts, loginEnd } from '../../../domain/orgs/policy.ts';
import type { IdentityDeps } from '../deps.ts';

/** A membership that counts: neither it nor its org is suspended. */
export interface LiveMembership {
  readonly membership: Membership;
  readonly org: OrgRecord;
}

type Deps = Pick<IdentityDeps, 'users' | 'orgs' | 'memberships' | 'settings' | 'now'>;

/** Live memberships of a person, oldest first; `suspended` when there are some and none of them is live. */
export async function findMemberships(
  deps: Pick<Deps, 'orgs' | 'memberships'>,
  userId: string,
): Promise<{ live: readonly LiveMembership[]; suspended: boolean }> {
  const memberships = await deps.memberships.listOfUser(userId);
  if (memberships.length === 0) return { live: [], suspended: false };
  const orgs = await deps.orgs.findMany(memberships.map(({ orgId }) => orgId));
  const live = memberships
    .flatMap((membership) => {
      const org = orgs.find(({ id }) => id === membership.orgId);
      const counts = org !== undefined && org.suspendedAt === null && membership.suspendedAt === null;
      return counts ? [{ membership, org }] : [];
    })
    .sort((a, b) => a.membership.createdAt.getTime() - b.membership.createdAt.getTime());
  return { live, suspended: live.length === 0 };
}

/** A person as tokens describe them, and until when at most; null for no such limit. */
export type DescribedPerson = TokenPerson & { readonly user: UserRecord; readonly until: Date | null };

/**
 * A person as a token of now describes them, after that login. The org is their primary one; where that membership does
 * not count, or the org asks for another login (domain/orgs/policy.ts), the one they have had for longest. Platform roles
 * count where the login meets the policy of the platform's org.
 * @returns null for someone who gets no token: unknown, suspended, or with no org left where they and the login count.
 */
export async function findTokenPerson(deps: Deps, userId: string, login: LoginFacts): Promise<DescribedPerson | null> {
  const [found, { live, suspended }] = await Promise.all([deps.users.find(userId), findMemberships(deps, userId)]);
  if (found === null || found.suspendedAt !== null || suspended) return null;
  const now = deps.now();
  const admitted = live.filter(({ org }) => admitsLogin(org.policy, login, now));
  if (live.length > 0 && admitted.length === 0) return null;
  const chosen = admitted.find(({ org }) => org.slug === found.primaryOrg) ?? admitted[0];
  const org = chosen === undefined ? null : { slug: chosen.org.slug, roles: chosen.membership.roles };
  const platform = found.platformRoles.length === 0 ? null : await deps.orgs.find(deps.settings.platformOrg);
  const counts = platform !== null && admitsLogin(platform.policy, login, now);
  const user = counts ? found : { ...found, platformRoles: [] };
  const policies = [chosen?.org.policy, counts ? platform?.policy : undefined];
  return {
    user,
    org,
    until: earliest(policies.map((policy) => (policy === undefined ? null : loginEnd(policy, login)))),
  };
}

function earliest(times: readonly (Date | null)[]): Date | null {
  const given = times.flatMap((time) => (time === null ? [] : [time.getTime()]));
  return given.length === 0 ? null : new Date(Math.min(...given));
}
