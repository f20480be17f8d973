import type { TokenPerson } from '../../../domain/identity/build-claims.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { Membership, OrgRecord } from '../../../domain/orgs/org.ts';
import type { IdentityDeps } from '../deps.ts';

/** A membership that counts: neither it nor its org is suspended. */
export interface LiveMembership {
  readonly membership: Membership;
  readonly org: OrgRecord;
}

type Deps = Pick<IdentityDeps, 'users' | 'orgs' | 'memberships'>;

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

/**
 * A person as a token of now describes them. The org is their primary one; where that membership does not count, the
 * one they have had for longest.
 * @returns null for someone who gets no token: unknown, suspended, or with no org left that is not suspended.
 */
export async function findTokenPerson(
  deps: Deps,
  userId: string,
): Promise<(TokenPerson & { readonly user: UserRecord }) | null> {
  const [user, { live, suspended }] = await Promise.all([deps.users.find(userId), findMemberships(deps, userId)]);
  if (user === null || user.suspendedAt !== null || suspended) return null;
  const chosen = live.find(({ org }) => org.slug === user.primaryOrg) ?? live[0];
  const org = chosen === undefined ? null : { slug: chosen.org.slug, roles: chosen.membership.roles };
  return { user, org };
}
