import type { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { loginsViewSchema } from '../../../domain/identity/schema.ts';
import { hasSecondFactor } from '../../../domain/identity/second-factors.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { type Helper, mayHelp } from '../../../domain/orgs/may-help.ts';
import type { OrgRecord } from '../../../domain/orgs/org.ts';
import { type Caller, isPerson } from '../../http/caller.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { createLink } from '../login/one-time-links.ts';
import { storePassword } from '../login/set-password.ts';
import { queueMail } from '../mail/send-mail.ts';
import { revokeSession, revokeUser } from '../revocation/revoke.ts';
import { sessionView } from './user-views.ts';

/** Somebody who is helped, and in whose name: the org's, or the platform's for null. */
export interface Help {
  readonly user: UserRecord;
  readonly org: OrgRecord | null;
}

/** @throws FORBIDDEN for a person whom the caller may not help; see domain/orgs/may-help.ts */
export async function requireHelp(deps: IdentityDeps, caller: Caller, { user, org }: Help): Promise<Help> {
  const memberships = await deps.memberships.listOfUser(user.id);
  const person = { platformRoles: user.platformRoles, orgIds: memberships.map(({ orgId }) => orgId) };
  if (mayHelp(helperOf(caller, org), person)) return { user, org };
  // One answer for all of it: where else somebody is, is not told.
  throw new FairleadError('FORBIDDEN', 'This account is not for your org alone: ask a super admin of the platform');
}

function helperOf(caller: Caller, org: OrgRecord | null): Helper {
  if (caller.kind === 'platform-admin') return 'super_admin';
  if (caller.kind === 'internal' || org === null) return 'platform';
  return { orgId: org.id };
}

/** Where the person is signed in. @throws FORBIDDEN */
export async function listLogins(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  help: Help,
): Promise<z.input<typeof loginsViewSchema>> {
  const { user } = await requireHelp(deps, context.caller, help);
  const now = deps.now();
  const [sessions, grants] = await Promise.all([
    deps.sessions.listOfUser(user.id, now),
    deps.grants.listOfUser(user.id, now),
  ]);
  return {
    sessions: sessions.map(sessionView),
    applications: grants.map(({ id, clientId, scopes, address, createdAt, lastUsedAt }) => ({
      ...{ id, clientId, scopes: [...scopes], address },
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt.toISOString(),
    })),
  };
}

/**
 * Ends one session of the person with the logins made in it, or, for null, everything they are signed in to.
 * @throws FORBIDDEN; NOT_FOUND for a session that is not theirs
 */
export async function endLogins(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  help: Help,
  sessionId: string | null,
): Promise<void> {
  const { user } = await requireHelp(deps, context.caller, help);
  const session = sessionId === null ? null : await deps.sessions.find(sessionId);
  if (sessionId !== null && session?.userId !== user.id) {
    throw new FairleadError('NOT_FOUND', 'They have no such session');
  }
  await note(deps, context, 'user.sessions_ended', help, { sessionId });
  const reason = 'ended by an admin';
  if (sessionId === null) await revokeUser(deps, context, user.id, { reason });
  else await revokeSession(deps, context, sessionId, { reason });
}

/**
 * Takes a person's second factors and recovery codes away, for one who lost them, and their password with them: whoever
 * knows that would otherwise be in, and what is left is their mailbox, where they get a link to choose a new password.
 * Everything they are signed in to ends. Nobody does so for themself: a thief with a session or a token of theirs could.
 * @throws FORBIDDEN, CONFLICT for somebody who has no second factor
 */
export async function resetSecondFactor(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  help: Help,
): Promise<UserRecord> {
  const { caller } = context;
  const { user } = await requireHelp(deps, caller, help);
  if (isPerson(caller) && caller.userId === user.id) {
    throw new FairleadError('FORBIDDEN', 'Change your own second factor on your account page, by showing it');
  }
  if (!hasSecondFactor(user)) throw new FairleadError('CONFLICT', 'There is no second factor to reset');
  const data = { totp: user.totp?.since != null, passkeys: user.passkeys.length };
  await note(deps, context, 'user.second_factor_reset', help, data);
  await storePassword(deps, context, user, null, { withoutFactors: true });
  mailReset(deps, user);
  return (await deps.users.find(user.id)) ?? user;
}

function mailReset(deps: IdentityDeps, { id, email }: UserRecord): void {
  queueMail(deps, { kind: 'second_factor_reset', to: email }, async () => {
    const user = await deps.users.find(id);
    if (user === null || user.suspendedAt !== null) return null;
    const order = { purpose: 'password_reset', user, client: null, returnTo: null } as const;
    const { token, expiresAt } = await createLink(deps, order);
    const link = `${deps.settings.issuer}/login/reset?token=${token}`;
    return { client: null, org: null, user, subject: id, data: { name: user.firstName, link, expiresAt } };
  });
}

/** Before it is done. The org reads what was done in its name. */
function note(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  type: string,
  { user, org }: Help,
  data: Readonly<Record<string, string | number | boolean | null>>,
): Promise<void> {
  const actor = context.caller.name;
  return audit(deps, context, { type, actor, subject: user.id, orgSlug: org?.slug ?? null, data });
}
