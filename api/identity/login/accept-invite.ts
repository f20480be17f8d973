import { FairleadError } from '../../../domain/errors.ts';
import { newUser } from '../../../domain/identity/new-user.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { ID_PREFIXES } from '../../../domain/ids.ts';
import { judgeRoles } from '../../../domain/orgs/administration.ts';
import { wasMailed } from '../../../domain/orgs/invite-token.ts';
import { newMembership } from '../../../domain/orgs/new-org.ts';
import type { InviteRecord, Membership, OrgRecord } from '../../../domain/orgs/org.ts';
import { hasOrgRole, isPlatformAdmin } from '../../../domain/roles.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { finishAccount, halfAccount, INVITATION, isHalfOf } from './half-account.ts';
import { noteInvite } from './note-invite.ts';
import { hashNewPassword } from './set-password.ts';

/** Someone who has no account yet. Their address is the invited one. */
export interface InvitedPerson {
  readonly firstName: string;
  readonly lastName: string;
  readonly password: string;
  /** True when a trusted client vouches for the address. */
  readonly vouched?: boolean;
}

export type InviteAcceptance = {
  readonly token: string;
  /** What the invitation must be for, where that is known beforehand. */
  readonly expected?: { readonly email: string; readonly orgId: string };
  /** Tells more of it in the audit trail, before the account is whole. */
  readonly tell?: (user: UserRecord) => Promise<void>;
} & ({ readonly user: UserRecord } | { readonly newUser: InvitedPerson });

export interface OpenInvite {
  readonly invite: InviteRecord;
  readonly org: OrgRecord;
}

/** What an open invitation says, for the page that shows it. Takes nothing. @throws INVITE_INVALID */
export async function readInvite(deps: IdentityDeps, token: string): Promise<OpenInvite> {
  const invite = await deps.invites.findByTokenHash(deps.tokens.hash(token));
  // One that was accepted, and not finished, is open to who accepted it: the write that takes it knows who that is.
  const cutOff = invite !== null && invite.acceptedBy !== null && invite.finishedAt === null;
  const open = invite !== null && (invite.acceptedAt === null || cutOff) && invite.revokedAt === null;
  if (invite === null || !open || invite.expiresAt <= deps.now()) throw inviteInvalid();
  const org = await deps.orgs.find(invite.orgId);
  if (org === null || org.suspendedAt !== null) throw inviteInvalid();
  if (!(await inviterMayStillInvite(deps, invite))) throw inviteInvalid();
  return { invite, org };
}

/** An admin who was removed must not come back by an invitation they left behind. */
async function inviterMayStillInvite(deps: IdentityDeps, { invitedBy, orgId, role }: InviteRecord): Promise<boolean> {
  if (!invitedBy.startsWith(`${ID_PREFIXES.user}_`)) return true;
  const [user, membership] = await Promise.all([deps.users.find(invitedBy), deps.memberships.find(invitedBy, orgId)]);
  if (user === null || user.suspendedAt !== null) return false;
  const roles = membership === null || membership.suspendedAt !== null ? [] : membership.roles;
  const power = { platform: isPlatformAdmin(user.platformRoles), roles };
  return (power.platform || hasOrgRole(roles, 'admin')) && judgeRoles(power, [role]).refused.length === 0;
}

/**
 * Accepts an invitation, for someone signed in with the invited address, or for someone who makes their account by it.
 * It is taken by one conditional write for one person, and finished by another: of many at once exactly one is let in, and
 * who repeats it after a kill goes on. What can be wrong with the input is found before that, so that a mistyped password
 * does not use the invitation up.
 * @throws INVITE_INVALID also for another address than the invited one; PASSWORD_REFUSED; USER_EXISTS when the address has
 * an account: its owner signs in first.
 */
export async function acceptInvite(
  deps: IdentityDeps,
  context: RouteContext,
  acceptance: InviteAcceptance,
): Promise<{ user: UserRecord; org: OrgRecord }> {
  const { invite, org } = await readInvite(deps, acceptance.token);
  const { expected = invite } = acceptance;
  if (expected.email !== invite.email || expected.orgId !== invite.orgId) throw inviteInvalid();
  const join = 'user' in acceptance ? existing(deps, invite, acceptance) : invited(deps, invite, acceptance);
  const { user, complete } = await join;
  const taken = await deps.invites.consume(invite.tokenHash, user.id, deps.now());
  if (taken === null) throw inviteInvalid();
  await addToOrg(deps, user, org, taken);
  await noteInvite(deps, context, 'org.invite_accepted', taken, { userId: user.id }, user.id);
  await acceptance.tell?.(user);
  const first = (await complete()) && (await deps.invites.finish(taken.tokenHash, deps.now()));
  if (!first) throw inviteInvalid();
  return { user: (await deps.users.find(user.id)) ?? user, org };
}

/** Who joins, and the last that is done for them once they are a member; false when another request did it. */
interface Joining {
  readonly user: UserRecord;
  readonly complete: () => Promise<boolean>;
}

async function existing(
  deps: IdentityDeps,
  invite: InviteRecord,
  { token, user }: { readonly token: string; readonly user: UserRecord },
): Promise<Joining> {
  if (user.email !== invite.email || user.suspendedAt !== null) throw inviteInvalid();
  const complete = async () => {
    if (!user.emailVerified && wasMailed(token)) await deps.users.update(user.id, { emailVerified: true });
    // Signing in and accepting is coming oneself: a marker that waits for the first password goes.
    if (user.onboardingPending !== null) await deps.users.clearOnboarding(user.id);
    return true;
  };
  return { user, complete };
}

/** Checks, hashes, and makes the account, which is half one until the invitation is finished; or goes on with that. */
async function invited(
  deps: IdentityDeps,
  invite: InviteRecord,
  { token, newUser: person }: { readonly token: string; readonly newUser: InvitedPerson },
): Promise<Joining> {
  const maker = { id: INVITATION, orgSlug: invite.orgSlug };
  const known = await deps.users.findByEmail(invite.email);
  if (known !== null && !isHalfOf(known, maker)) {
    throw new FairleadError('USER_EXISTS', 'There is an account of this address: sign in to accept the invitation');
  }
  const passwordHash = await hashNewPassword(deps, person.password, invite.email);
  const { firstName, lastName, vouched = false } = person;
  const emailVerified = vouched || wasMailed(token);
  const fields = { id: deps.newId('user'), email: invite.email, emailVerified, firstName, lastName };
  const half = { ...fields, ...halfAccount(maker, passwordHash, deps.now()), primaryOrg: invite.orgSlug };
  const user = known ?? newUser(half, deps.now());
  if (known === null) await deps.users.insert(user);
  const complete = async () => (await finishAccount(deps, user.id, invite.orgSlug, passwordHash)) !== null;
  return { user, complete };
}

/** Someone who is a member already keeps their roles and gets the invited one besides. */
async function addToOrg(deps: IdentityDeps, user: UserRecord, org: OrgRecord, invite: InviteRecord): Promise<void> {
  const modules = invite.modules.filter((module) => org.modules.includes(module));
  const membership = newMembership(user.id, org, { roles: [invite.role], modules }, deps.now());
  while (!(await deps.memberships.insert(membership)) && !(await joinRights(deps, membership))) {
    // An admin changed what they have, or took them out, between the two: look again.
  }
  if (user.primaryOrg === null) await deps.users.update(user.id, { primaryOrg: org.slug });
}

/** True when the rights were added to those there are; false when there is none, or another was faster. */
async function joinRights(
  deps: IdentityDeps,
  { userId, orgId, roles, modules, updatedAt }: Membership,
): Promise<boolean> {
  const before = await deps.memberships.find(userId, orgId);
  if (before === null) return false;
  return deps.memberships.replaceRights(before, {
    roles: [...new Set([...before.roles, ...roles])],
    modules: [...new Set([...before.modules, ...modules])],
    updatedAt,
  });
}

function inviteInvalid(): FairleadError {
  const message = 'This invitation was used before, was withdrawn, has expired, or is for another address';
  return new FairleadError('INVITE_INVALID', message);
}
