import type { UserRecord } from '../../../domain/identity/user.ts';
import { orgNotFound } from '../../../domain/orgs/org-not-found.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { findMemberships } from '../tokens/token-person.ts';
import { requireUser } from './change-user.ts';

/**
 * Makes one of a person's orgs their primary one: the claim `orgSlug` of every token they get from now on (spec 1,
 * "Access-token claims"), and so the org that they act in at the builder. Tokens they hold go on naming the one before
 * until they are refreshed, which takes nothing from anybody: they are in both.
 * @throws ORG_NOT_FOUND for an org that they are not in now, whether there is one or not
 */
export async function choosePrimaryOrg(
  deps: IdentityDeps,
  context: RouteContext,
  userId: string,
  slug: string,
): Promise<UserRecord> {
  const { live } = await findMemberships(deps, userId);
  if (!live.some(({ org }) => org.slug === slug)) throw orgNotFound();
  const before = await requireUser(deps, userId);
  const data = { primaryOrg: slug, primaryOrgBefore: before.primaryOrg ?? '' };
  await audit(deps, context, { type: 'user.org_chosen', actor: userId, subject: userId, orgSlug: slug, data });
  return (await deps.users.update(userId, { primaryOrg: slug })) ?? before;
}
