import { FairleadError } from '../../../domain/errors.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import type { OrgRecord } from '../../../domain/orgs/org.ts';
import { findOrgGrant } from '../../orgs/org-grants.ts';
import type { IdentityDeps } from '../deps.ts';
import type { EmbedCaller } from './embed-client.ts';

/**
 * The org, when a client may make accounts in it (spec 1, D 4), which takes all three: the flag `trustedInviteSignup`,
 * its secret from a server, and the org's own grant. Which of them is missing is not told, nor whether there is such an
 * org. @throws TRUSTED_SIGNUP_REFUSED
 */
export async function requireTrusted(
  deps: IdentityDeps,
  { client, server }: EmbedCaller,
  orgSlug: string,
): Promise<OrgRecord> {
  const org = await deps.orgs.find(orgSlug);
  const trusted = server && client.trustedInviteSignup && org !== null && org.slug === orgSlug;
  if (!trusted || (await findOrgGrant(deps, client, org)) === null) {
    const message = 'This needs trustedInviteSignup, the client secret from a server, and a grant of the org';
    throw new FairleadError('TRUSTED_SIGNUP_REFUSED', message);
  }
  return org;
}

/**
 * True when a client may be handed the key to a person's account, or send them to its own page for it: they are in the
 * org that owns the client, or in one that let it manage its people. Nobody who has a platform role is any client's to
 * reset: one service's secret must not open the platform.
 */
export async function managesPerson(
  deps: IdentityDeps,
  client: ClientRecord,
  user: { readonly id: string; readonly platformRoles: readonly string[] },
): Promise<boolean> {
  if (user.platformRoles.length > 0) return false;
  for (const { orgSlug } of await deps.memberships.listOfUser(user.id)) {
    if (orgSlug === client.orgSlug) return true;
    const org = await deps.orgs.find(orgSlug);
    if (org !== null && (await findOrgGrant(deps, client, org)) !== null) return true;
  }
  return false;
}
