import { FairleadError } from '../../domain/errors.ts';
import { findOrgGrant } from '../../domain/orgs/find-org-grant.ts';
import type { OrgGrant, OrgRecord } from '../../domain/orgs/org.ts';
import type { Caller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import { audit } from '../identity/audit.ts';
import type { IdentityDeps } from '../identity/deps.ts';

/** Lets a client manage the org's people. Idempotent. @throws CLIENT_NOT_FOUND; FORBIDDEN for the platform's org */
export async function approveOrgGrant(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  org: OrgRecord,
  clientId: string,
): Promise<OrgGrant> {
  if (org.platform) throw new FairleadError('FORBIDDEN', "No client may manage the people of the platform's own org");
  const client = await deps.clients.find(clientId);
  if (client === null) throw new FairleadError('CLIENT_NOT_FOUND', 'There is no such client');
  const found = await findOrgGrant(deps, client, org);
  if (found !== null) return found;
  await noteGrant(deps, context, 'org.grant_approved', org, clientId);
  await deps.orgGrants.revoke(clientId, org.slug);
  const approvedBy = context.caller.name;
  const grant: OrgGrant = { clientId, orgSlug: org.slug, grant: 'org:manage', approvedBy, approvedAt: deps.now() };
  await deps.orgGrants.approve(grant);
  return grant;
}

/** @throws NOT_FOUND when there is none. */
export async function revokeOrgGrant(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  org: OrgRecord,
  clientId: string,
): Promise<void> {
  if ((await deps.orgGrants.find(clientId, org.slug)) === null) {
    throw new FairleadError('NOT_FOUND', `${clientId} has no grant on ${org.slug}`);
  }
  await noteGrant(deps, context, 'org.grant_revoked', org, clientId);
  await deps.orgGrants.revoke(clientId, org.slug);
}

/** Before the effect: what was done is found done when it is repeated, and is not told again. */
function noteGrant(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  type: string,
  org: OrgRecord,
  clientId: string,
): Promise<void> {
  const actor = context.caller.name;
  return audit(deps, context, { type, actor, subject: clientId, orgSlug: org.slug, data: { grant: 'org:manage' } });
}
