import { FairleadError } from '../../../domain/errors.ts';
import type { OneTimeLink } from '../../../domain/identity/one-time-link.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import { findOrgGrant } from '../../../domain/orgs/find-org-grant.ts';
import type { OrgRecord } from '../../../domain/orgs/org.ts';
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
 * True when a client may be handed the key to a person's account, or send them to its own page for it: they are in orgs,
 * and each of these owns the client or let it manage its people. Somebody who is in another org besides would open that
 * org to the client, too, and somebody with a platform role the platform: they get their mail from the provider.
 */
export async function managesPerson(
  deps: IdentityDeps,
  client: ClientRecord,
  user: { readonly id: string; readonly platformRoles: readonly string[] },
): Promise<boolean> {
  if (user.platformRoles.length > 0) return false;
  const memberships = await deps.memberships.listOfUser(user.id);
  for (const { orgSlug } of memberships) {
    const org = await deps.orgs.find(orgSlug);
    const managed = orgSlug === client.orgSlug || (org !== null && (await findOrgGrant(deps, client, org)) !== null);
    if (!managed) return false;
  }
  return memberships.length > 0;
}

/**
 * True when a reset link that a client was handed still opens the account: the client may be handed such links, and
 * manages the person, at the moment of use as it did when the link was made.
 */
export async function mayUseHandedLink(deps: IdentityDeps, link: OneTimeLink, user: UserRecord): Promise<boolean> {
  const client = link.clientId === null ? null : await deps.clients.find(link.clientId);
  return client?.selfServiceEmail === true && (await managesPerson(deps, client, user));
}
