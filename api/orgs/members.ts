import { FairleadError } from '../../domain/errors.ts';
import type { UserRecord } from '../../domain/identity/user.ts';
import { onlyGivesRights } from '../../domain/orgs/administration.ts';
import { newMembership } from '../../domain/orgs/new-org.ts';
import type { Membership, OrgRecord } from '../../domain/orgs/org.ts';
import type { Caller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import { audit } from '../identity/audit.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { voidAccessTokens, voidingAccessTokens } from '../identity/revocation/void-access-tokens.ts';
import { checkRights, type OrgAccess } from './org-access.ts';

export type MemberRights = Pick<Membership, 'roles' | 'modules'>;

export interface RightsOrder extends MemberRights {
  /** What the caller had read; undefined replaces whatever is there. */
  readonly before?: { readonly roles: readonly string[]; readonly modules: readonly string[] } | undefined;
}

export interface Member {
  readonly membership: Membership;
  readonly user: UserRecord;
}

/** @throws USER_NOT_FOUND for someone who is not in the org, whether they exist or not. */
export async function requireMember(deps: IdentityDeps, org: OrgRecord, userId: string): Promise<Member> {
  const membership = await deps.memberships.find(userId, org.id);
  const user = membership === null ? null : await deps.users.find(userId);
  if (membership === null || user === null) throw userNotFound(org);
  return { membership, user };
}

/**
 * Replaces a member's roles and modules. Only the platform puts someone into an org this way: everybody else invites
 * them, so that nobody is in an org without having agreed. With `before`, the change is conditional: of two admins who
 * change what they both read, one is told, and no change is lost.
 * @throws USER_NOT_FOUND, ROLE_ESCALATION, VALIDATION_FAILED; CONFLICT when the org would have no admin, or when the
 * rights are others than `before`
 */
export async function putMember(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  access: OrgAccess,
  userId: string,
  { before: expected, ...rights }: RightsOrder,
): Promise<Member> {
  const { org, power } = access;
  checkRights(access, rights);
  const [user, known] = await Promise.all([deps.users.find(userId), deps.memberships.find(userId, org.id)]);
  if (user === null || (known === null && !power.platform)) throw userNotFound(org);
  const tell = (before: Membership | null) =>
    noteMember(deps, context, 'org.member_changed', org, userId, {
      roles: rights.roles,
      modules: rights.modules,
      rolesBefore: before?.roles ?? [],
      modulesBefore: before?.modules ?? [],
    });
  const membership = await replaceRights(deps, access, userId, { rights, expected, tell });
  if (user.primaryOrg === null) await deps.users.update(userId, { primaryOrg: org.slug });
  // A first password set by one org's client must not open another org.
  if (user.onboardingPending !== null && user.onboardingPending.orgSlug !== org.slug) {
    await deps.users.clearOnboarding(userId);
  }
  return { user, membership };
}

/** More than this many changes of one member between a read and a write are no accident. */
const TRIES = 5;

/**
 * Writes over exactly what was read, and tells it before. Tokens that name a right which is taken away are void before it as
 * well: who was cut off in between and repeats a conditional change finds other rights than they expect.
 * @throws USER_NOT_FOUND for somebody who left meanwhile, unless the platform puts them in; CONFLICT when what was read is
 * not what was expected, or changes again and again
 */
async function replaceRights(
  deps: IdentityDeps,
  { org, power }: OrgAccess,
  userId: string,
  {
    rights,
    expected,
    tell,
  }: {
    readonly rights: MemberRights;
    readonly expected: RightsOrder['before'];
    tell(before: Membership | null): Promise<void>;
  },
): Promise<Membership> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = await deps.memberships.find(userId, org.id);
    if (before === null && !power.platform) throw userNotFound(org);
    if (expected !== undefined && !hasRights(before, expected)) break;
    const after: Membership =
      before === null
        ? newMembership(userId, org, rights, deps.now())
        : { ...before, ...rights, updatedAt: deps.now() };
    const write = async () => {
      if (before === null) return deps.memberships.insert(after);
      const replace = () => deps.memberships.replaceRights(before, after);
      return onlyGivesRights(before, after) ? replace() : voidingAccessTokens(deps, userId, replace);
    };
    // Whoever changed it once more has looked for an admin, too.
    const undo = async () => void (before !== null && (await deps.memberships.replaceRights(after, before)));
    if (before !== null && !after.roles.includes('admin')) await refuseLastAdmin(deps, org, before);
    await tell(before);
    if (await keepingAnAdmin(deps, org, { change: write, undo })) return after;
  }
  throw new FairleadError('CONFLICT', 'Somebody changed this member meanwhile: look at their roles, and repeat it');
}

function hasRights(membership: Membership | null, { roles, modules }: NonNullable<RightsOrder['before']>): boolean {
  const inOrder = (list: readonly string[]) => [...list].sort().join();
  return inOrder(membership?.roles ?? []) === inOrder(roles) && inOrder(membership?.modules ?? []) === inOrder(modules);
}

/**
 * Takes a member out of the org. An invitation of theirs that was taken, and cut off before it was finished, ends first.
 * @throws USER_NOT_FOUND; CONFLICT when the org would have no admin
 */
export async function removeMember(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  org: OrgRecord,
  userId: string,
): Promise<void> {
  const { membership, user } = await requireMember(deps, org, userId);
  const remove = () =>
    keepingAnAdmin(deps, org, {
      change: async () => {
        await deps.memberships.remove(userId, org.id);
      },
      undo: async () => {
        await deps.memberships.insert(membership);
      },
    });
  await refuseLastAdmin(deps, org, membership);
  await noteMember(deps, context, 'org.member_removed', org, userId, { rolesBefore: membership.roles });
  await deps.invites.finishAllOf(userId, org.id, deps.now());
  await voidingAccessTokens(deps, userId, remove);
  if (user.primaryOrg === org.slug) {
    const [next] = await deps.memberships.listOfUser(userId);
    await deps.users.update(userId, { primaryOrg: next?.orgSlug ?? null });
  }
}

/** Suspends or restores a membership; the person and their other orgs are left alone. @throws like {@link removeMember} */
export async function suspendMember(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  org: OrgRecord,
  userId: string,
  suspended: boolean,
): Promise<Member> {
  const { membership, user } = await requireMember(deps, org, userId);
  const suspendedAt = suspended ? (membership.suspendedAt ?? deps.now()) : null;
  if (suspended) await refuseLastAdmin(deps, org, membership);
  await noteMember(deps, context, suspended ? 'org.member_suspended' : 'org.member_restored', org, userId);
  await keepingAnAdmin(deps, org, {
    change: async () => {
      await deps.memberships.setSuspended(userId, org.id, suspendedAt);
    },
    undo: async () => {
      await deps.memberships.setSuspended(userId, org.id, membership.suspendedAt);
    },
  });
  if (suspended) await voidAccessTokens(deps, userId);
  return { user, membership: { ...membership, suspendedAt } };
}

/**
 * An org that had an admin keeps one. `change` answers false when it changed nothing. Two admins may take each other's role away at the same time, so it is looked at
 * after the change: whoever wrote last sees that nobody is left, and takes their own change back.
 */
async function keepingAnAdmin<T>(
  deps: IdentityDeps,
  org: OrgRecord,
  { change, undo }: { change: () => Promise<T>; undo: () => Promise<void> },
): Promise<T> {
  const before = await deps.memberships.countWithRole(org.id, 'admin');
  const result = await change();
  if (result === false || before === 0 || (await deps.memberships.countWithRole(org.id, 'admin')) > 0) return result;
  await undo();
  throw needsAnAdmin(org);
}

/** Before anything is told or void: a refusal changes nothing. @throws CONFLICT */
async function refuseLastAdmin(deps: IdentityDeps, org: OrgRecord, { roles, suspendedAt }: Membership): Promise<void> {
  const isAdmin = suspendedAt === null && roles.includes('admin');
  if (isAdmin && (await deps.memberships.countWithRole(org.id, 'admin')) === 1) throw needsAnAdmin(org);
}

function needsAnAdmin(org: OrgRecord): FairleadError {
  return new FairleadError('CONFLICT', `${org.slug} must keep an admin: make another member one first`);
}

function noteMember(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  type: string,
  org: OrgRecord,
  userId: string,
  data: Readonly<Record<string, readonly string[]>> = {},
): Promise<void> {
  return audit(deps, context, {
    type,
    actor: context.caller.name,
    subject: userId,
    orgSlug: org.slug,
    data,
  });
}

function userNotFound(org: OrgRecord): FairleadError {
  return new FairleadError('USER_NOT_FOUND', `There is no such member in ${org.slug}`);
}
