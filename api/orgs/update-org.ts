import type { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { newOrg, newOrgId } from '../../domain/orgs/new-org.ts';
import type { OrgRecord } from '../../domain/orgs/org.ts';
import { orgNotFound } from '../../domain/orgs/org-not-found.ts';
import { admitsLogin, asksFor, type OrgPolicy } from '../../domain/orgs/policy.ts';
import type { OrgChanges } from '../../domain/orgs/ports.ts';
import type { createOrgBodySchema, updateOrgBodySchema } from '../../domain/orgs/schema.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import { type AdministratorCaller, type Caller, isPerson } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import { audit } from '../identity/audit.ts';
import { CACHED_READ_MS } from '../identity/cached-reads.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { refuseForeignAddresses } from '../identity/mail/registered-hosts.ts';
import { deny } from '../identity/revocation/deny.ts';
import { revokeClient } from '../identity/revocation/revoke.ts';
import { voidAccessTokens } from '../identity/revocation/void-access-tokens.ts';
import type { OrgAccess } from './org-access.ts';

/** @throws ORG_EXISTS */
export async function createOrg(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  fields: z.output<typeof createOrgBodySchema>,
): Promise<OrgRecord> {
  const org = newOrg({ id: newOrgId(deps.tokens.letters), ...fields }, deps.now());
  if ((await deps.orgs.find(org.slug)) !== null) {
    throw new FairleadError('ORG_EXISTS', `An org called ${org.slug} exists already`);
  }
  await noteOrg(deps, context, 'org.created', org, { name: org.name, modules: org.modules });
  await deps.orgs.insert(org);
  return org;
}

/**
 * Changes an org: its admins how it looks, the platform also its modules and whether it is suspended. Suspending ends
 * what its clients and members hold; that they get nothing new is the token endpoint's part. Told in the audit trail before
 * it is done: a change that cannot be told is not made. What is taken is void before the change as well: a process that ends
 * in between leaves no token of before, and who repeats the change voids all of them again.
 * @throws FORBIDDEN, ORG_NOT_FOUND; VALIDATION_FAILED for mail that names an address which is not registered
 */
export async function updateOrg(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  { org, power }: OrgAccess,
  { suspended, whiteLabel, policy, ...body }: z.output<typeof updateOrgBodySchema>,
): Promise<OrgRecord> {
  if (!power.platform && (suspended !== undefined || body.modules !== undefined)) {
    throw new FairleadError('FORBIDDEN', 'Only the platform may change modules, or suspend an org');
  }
  if (suspended === true && org.platform) throw new FairleadError('FORBIDDEN', "The platform's own org stays");
  const policyChanges = policy === undefined ? undefined : defined(policy);
  if (policyChanges !== undefined) {
    requireOwnLogin(deps, context, { org, power }, { ...org.policy, ...policyChanges });
  }
  const changes: OrgChanges = {
    ...defined(body),
    ...(policyChanges === undefined ? {} : { policy: policyChanges }),
    ...(whiteLabel === undefined ? {} : { whiteLabel: defined(whiteLabel) }),
    ...(suspended === undefined ? {} : { suspendedAt: suspended ? (org.suspendedAt ?? deps.now()) : null }),
  };
  await refuseForeignAddresses(deps, org.slug, changes.mailTemplates);
  await noteOrg(deps, context, 'org.changed', org, {
    fields: Object.keys(changes),
    ...policyChanges,
    ...(suspended === undefined ? {} : { suspended }),
  });
  const asks = policyChanges !== undefined && asksFor({ ...org.policy, ...policyChanges });
  const endWhatItTakes = async () => {
    if (suspended === true) await endAccess(deps, context, org);
    if (asks) await endTokens(deps, org);
  };
  await endWhatItTakes();
  const changed = await deps.orgs.update(org.id, changes);
  if (changed === null) throw orgNotFound();
  await endWhatItTakes();
  return changed;
}

const PAGE = 200;

/** Clients of the org lose their tokens; members keep the logins that other orgs of theirs need. */
async function endAccess(deps: IdentityDeps, context: RouteContext<Caller>, org: OrgRecord): Promise<void> {
  await each(
    (page) => deps.clients.list({ orgSlug: org.slug, clientIds: [] }, page),
    ({ clientId }) => revokeClient(deps, context, clientId, { reason: 'org suspended' }),
  );
  await eachMember(deps, org, (userId) => voidAccessTokens(deps, userId));
}

/**
 * Ends the tokens of all whom the policy of the org binds: its members, and, for the platform's org, who has a platform role
 * wherever they are a member. Tokens of logins that it does not admit are void; the others refresh.
 */
async function endTokens(deps: IdentityDeps, org: OrgRecord): Promise<void> {
  const end = (userId: string) => deny(deps, 'user', userId, { aheadMs: CACHED_READ_MS });
  await eachMember(deps, org, end);
  if (org.platform) {
    const filter = { query: null, platformRoles: true } as const;
    await each(
      (page) => deps.users.list(filter, page),
      ({ id }) => end(id),
    );
  }
}

function eachMember(deps: IdentityDeps, org: OrgRecord, act: (userId: string) => Promise<void>): Promise<void> {
  return each(
    (page) => deps.memberships.listOfOrg(org.id, page),
    ({ userId }) => act(userId),
  );
}

/** Page by page, one after the other. */
async function each<T>(list: (page: PageRequest) => Promise<Page<T>>, act: (item: T) => Promise<void>): Promise<void> {
  for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
    const page: Page<T> = await list({ cursor, limit: PAGE });
    for (const item of page.items) await act(item);
    cursor = page.nextCursor;
  }
}

/** Whoever sets a policy meets it: nobody locks themself out, and no session without a second factor asks for one. */
function requireOwnLogin(
  deps: IdentityDeps,
  { caller }: RouteContext<Caller>,
  { org, power }: OrgAccess,
  policy: OrgPolicy,
): void {
  if (!isPerson(caller) || (power.platform && !org.platform)) return;
  if (admitsLogin(policy, caller.login, deps.now())) return;
  throw new FairleadError('FORBIDDEN', 'Your own login does not meet this policy: sign in with a second factor first');
}

function noteOrg(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  type: string,
  org: OrgRecord,
  data: Readonly<Record<string, string | number | boolean | null | readonly string[]>>,
): Promise<void> {
  const actor = context.caller.name;
  return audit(deps, context, { type, actor, subject: org.id, orgSlug: org.slug, data });
}

/** Fields that were sent: null is a value, undefined is none. */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
