import { FairleadError } from '../../domain/errors.ts';
import { newUser } from '../../domain/identity/new-user.ts';
import type { UserRecord } from '../../domain/identity/user.ts';
import type { ClientRecord } from '../../domain/oauth-clients/client.ts';
import { findOrgGrant } from '../../domain/orgs/find-org-grant.ts';
import { newMembership } from '../../domain/orgs/new-org.ts';
import type { Membership, OrgRecord } from '../../domain/orgs/org.ts';
import { orgNotFound } from '../../domain/orgs/org-not-found.ts';
import type { OrgRole } from '../../domain/roles.ts';
import { type AdministratorCaller, type Caller, isAdministrator, type TokenServiceCaller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import { audit } from '../identity/audit.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import type { Member } from './members.ts';
import { checkRights, findOrg, type OrgAccess } from './org-access.ts';

export interface ProvisionOrder {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: OrgRole;
  readonly modules: readonly string[];
}

/**
 * The org of a path, for who may create people in it: the platform, a service that this org deployed itself, or one
 * whose client the org granted `org:manage` (spec 1, D 5: the right comes by itself where the deploying org owns the
 * org). Nobody's service does so in the platform's org. Such a client gives no role above `member`. Everybody else is told there is no such org, even its own
 * admins' tokens: people invite people.
 * @throws ORG_NOT_FOUND
 */
export async function requireProvisioning(
  deps: IdentityDeps,
  caller: AdministratorCaller | TokenServiceCaller,
  slug: string,
): Promise<OrgAccess> {
  const org = await findOrg(deps, slug);
  if (isAdministrator(caller)) return { org, power: { platform: true, roles: [] } };
  const client = await deps.clients.find(caller.clientId);
  if (client === null || !(await managesPeople(deps, client, org))) throw orgNotFound();
  return { org, power: { platform: false, roles: ['member'] } };
}

/** Clients that people made by hand are not deployed: they need the grant. */
async function managesPeople(deps: IdentityDeps, client: ClientRecord, org: OrgRecord): Promise<boolean> {
  const deployedHere = client.service !== null && client.orgSlug === org.slug;
  if (deployedHere && !org.platform && org.suspendedAt === null) return true;
  return (await findOrgGrant(deps, client, org)) !== null;
}

/**
 * Makes an account with no password that anybody knows and a marker that its first one is still to be set (spec 1,
 * "Provisioned account and initial password"; D 5). The address counts as unverified until its person proves it.
 * Who repeats it after a kill goes on where it was cut off.
 * @throws USER_EXISTS, ROLE_ESCALATION, VALIDATION_FAILED
 */
export async function provisionUser(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  access: OrgAccess,
  order: ProvisionOrder,
): Promise<Member> {
  const { org } = access;
  const { role, modules, ...person } = order;
  checkRights(access, { roles: [role], modules });
  const now = deps.now();
  const { caller } = context;
  const known = await deps.users.findByEmail(person.email);
  if (known !== null && !(await isOwnHalf(deps, known, caller.name, org))) throw userExists();
  const made = newUser(
    {
      ...person,
      id: deps.newId('user'),
      primaryOrg: org.slug,
      onboardingPending: { orgSlug: org.slug, clientId: caller.name, since: now },
    },
    now,
  );
  if (known === null) await deps.users.insert(made);
  const user = known ?? made;
  const membership: Membership = newMembership(user.id, org, { roles: [role], modules }, now);
  await noteProvisioned(deps, context, org, user.id, role);
  // The last write: of two that go on at once one makes it.
  if (!(await deps.memberships.insert(membership))) throw userExists();
  return { user, membership };
}

/** Whether an account is one that the same caller began here and did not finish: it is in no org yet. */
async function isOwnHalf(deps: IdentityDeps, user: UserRecord, caller: string, org: OrgRecord): Promise<boolean> {
  const { onboardingPending: marker, passwordHash } = user;
  if (passwordHash !== null || marker?.clientId !== caller || marker.orgSlug !== org.slug) return false;
  return (await deps.memberships.listOfUser(user.id)).length === 0;
}

function userExists(): FairleadError {
  return new FairleadError('USER_EXISTS', 'There is an account of this address already; invite it');
}

function noteProvisioned(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  org: OrgRecord,
  userId: string,
  role: OrgRole,
): Promise<void> {
  const actor = context.caller.name;
  return audit(deps, context, {
    id: `user.provisioned/${userId}`,
    type: 'user.provisioned',
    actor,
    subject: userId,
    orgSlug: org.slug,
    data: { role },
  });
}
