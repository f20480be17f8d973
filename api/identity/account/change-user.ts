import type { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { UserChanges } from '../../../domain/identity/ports.ts';
import type { updateUserBodySchema } from '../../../domain/identity/schema.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { onlyGivesRights } from '../../../domain/orgs/administration.ts';
import { isPlatformAdmin } from '../../../domain/roles.ts';
import type { AdministratorCaller } from '../../http/caller.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { revokeUser } from '../revocation/revoke.ts';
import { voidingAccessTokens } from '../revocation/void-access-tokens.ts';

type AdministratorContext = RouteContext<AdministratorCaller>;

/** @throws USER_NOT_FOUND */
export async function requireUser(deps: Pick<IdentityDeps, 'users'>, userId: string): Promise<UserRecord> {
  const user = await deps.users.find(userId);
  if (user === null) throw new FairleadError('USER_NOT_FOUND', 'There is no such user');
  return user;
}

/**
 * Changes a person's name, or their platform roles. Roles are given by super admins in person: not by the internal key,
 * since nobody gives more than they hold and a key holds none. Told in the audit trail before it is done. A role that is
 * taken away ends the tokens that name it, before as well: who was cut off and repeats it finds no role to take away.
 * Roles are written over exactly those that were read: of two changes at once one is refused, and neither is lost.
 * @throws USER_NOT_FOUND, ROLE_ESCALATION; CONFLICT when no super admin would be left, or when the platform roles are
 * others than `before`, or than those that were read
 */
export async function changeUser(
  deps: IdentityDeps,
  context: AdministratorContext,
  userId: string,
  body: z.output<typeof updateUserBodySchema>,
): Promise<UserRecord> {
  const before = await requireUser(deps, userId);
  const { platformRoles } = body;
  if (platformRoles !== undefined) requireSuperAdmin(context, platformRoles);
  if (body.before !== undefined && !isSameRoles(body.before.platformRoles, before.platformRoles)) throw rolesChanged();
  const changes: UserChanges = {
    ...(body.firstName === undefined ? {} : { firstName: body.firstName }),
    ...(body.lastName === undefined ? {} : { lastName: body.lastName }),
    ...(platformRoles === undefined ? {} : { platformRoles }),
  };
  // A first password set by a client must not open the platform.
  if (platformRoles !== undefined && before.onboardingPending !== null) await deps.users.clearOnboarding(userId);
  const onlyGives = platformRoles === undefined || onlyGivesRights(rightsOf(before), rightsOf({ platformRoles }));
  if (platformRoles !== undefined && !isPlatformAdmin(platformRoles)) await refuseLastSuperAdmin(deps, before);
  await noteUser(deps, context, 'user.changed', before, {
    fields: Object.keys(changes),
    ...(platformRoles === undefined ? {} : { platformRoles, platformRolesBefore: before.platformRoles }),
  });
  const change = () => keepingASuperAdmin(deps, before, changes);
  return onlyGives ? change() : voidingAccessTokens(deps, userId, change);
}

/**
 * Suspends a person, which ends everything they are signed in to, or restores them. Told before it is done; who was cut
 * off repeats it. @throws like {@link changeUser}
 */
export async function suspendUser(
  deps: IdentityDeps,
  context: AdministratorContext,
  userId: string,
  suspended: boolean,
): Promise<UserRecord> {
  const before = await requireUser(deps, userId);
  const suspendedAt = suspended ? (before.suspendedAt ?? deps.now()) : null;
  if (suspended) await refuseLastSuperAdmin(deps, before);
  await noteUser(deps, context, suspended ? 'user.suspended' : 'user.restored', before);
  const after = await keepingASuperAdmin(deps, before, { suspendedAt });
  if (suspended) {
    await deps.links.consumeAllOfUser(userId, deps.now());
    await revokeUser(deps, context, userId, { reason: 'suspended' });
  }
  return after;
}

function rightsOf({ platformRoles }: Pick<UserRecord, 'platformRoles'>) {
  return { roles: platformRoles, modules: [] };
}

function requireSuperAdmin({ caller }: AdministratorContext, wanted: readonly string[]): void {
  if (caller.kind === 'platform-admin') return;
  throw new FairleadError('ROLE_ESCALATION', 'Only a super admin in their own session can grant platform roles', {
    details: { refused: wanted, grantable: [], howToGetTheRest: 'Ask a super admin of the platform' },
  });
}

/** Before anything is told or void: a refusal changes nothing. @throws CONFLICT */
async function refuseLastSuperAdmin(deps: IdentityDeps, { platformRoles, suspendedAt }: UserRecord): Promise<void> {
  const counts = isPlatformAdmin(platformRoles) && suspendedAt === null;
  if (counts && (await deps.users.countWithPlatformRole('super_admin')) === 1) throw needsASuperAdmin();
}

function needsASuperAdmin(): FairleadError {
  return new FairleadError('CONFLICT', 'The platform must keep a super admin: make another user one first');
}

/**
 * Looks after the change, so that two super admins who remove each other at once do not leave none: see api/orgs/members.ts.
 * Whoever changed the roles once more has looked as well, so roles are put back only where they are still these.
 */
async function keepingASuperAdmin(
  deps: IdentityDeps,
  before: UserRecord,
  changes: Pick<UserChanges, 'firstName' | 'lastName' | 'platformRoles' | 'suspendedAt'>,
): Promise<UserRecord> {
  const { id, platformRoles, suspendedAt } = before;
  const after = await deps.users.update(id, changes, changes.platformRoles === undefined ? undefined : before);
  if (after === null) {
    await requireUser(deps, id);
    throw rolesChanged();
  }
  if (!isPlatformAdmin(platformRoles) || (await deps.users.countWithPlatformRole('super_admin')) > 0) return after;
  if (changes.platformRoles === undefined) await deps.users.update(id, { suspendedAt });
  else await deps.users.update(id, { platformRoles }, { platformRoles: changes.platformRoles });
  throw needsASuperAdmin();
}

function isSameRoles(one: readonly string[], other: readonly string[]): boolean {
  return [...one].sort().join() === [...other].sort().join();
}

function rolesChanged(): FairleadError {
  const message = 'Somebody changed the platform roles of this user meanwhile: look at them, and repeat it';
  return new FairleadError('CONFLICT', message);
}

function noteUser(
  deps: IdentityDeps,
  context: AdministratorContext,
  type: string,
  user: UserRecord,
  data: Readonly<Record<string, readonly string[]>> = {},
): Promise<void> {
  const actor = context.caller.name;
  return audit(deps, context, { type, actor, subject: user.id, orgSlug: user.primaryOrg, data });
}
