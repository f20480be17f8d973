import { FairleadError } from '../../../domain/errors.ts';
import { isPersonaAddress } from '../../../domain/identity/email-address.ts';
import type { SessionRecord } from '../../../domain/identity/login.ts';
import type { LoginMethod, UserRecord } from '../../../domain/identity/user.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { revokeSession } from '../revocation/revoke.ts';
import { writeCookie } from './cookies.ts';
import { finishEnding } from './end-logins.ts';
import { findSession, type LoggedIn, SESSION_DAYS } from './find-session.ts';
import { isUnchanged } from './is-unchanged.ts';
import { noteBrowser } from './note-device.ts';

const DAY_MS = 86_400_000;

/**
 * Begins the session of somebody who has just proved who they are. Every login has a cookie of its own: one that was in
 * the browser before, planted or not, is worth nothing afterwards. A new login of the same person goes on in their
 * session, so that the apps they use in it stay signed in; somebody else's session ends.
 * @param user as they were when they proved it
 * @throws LOGIN_FAILED for a persona, and for somebody whose password was changed, or who was suspended, meanwhile
 * @returns the session, and the `Set-Cookie` values that carry its secret and know the browser again
 */
export async function startSession(
  deps: IdentityDeps,
  context: RouteContext,
  user: UserRecord,
  methods: readonly LoginMethod[],
): Promise<{ session: SessionRecord; cookies: readonly string[] }> {
  // Whatever way in there may be one day: personas never come in person (spec 1, "Persona").
  if (isPersonaAddress(user.email)) throw new FairleadError('LOGIN_FAILED', 'This account cannot sign in');
  await finishEnding(deps, user);
  const secret = deps.tokens.create('flss_');
  const secretHash = deps.tokens.hash(secret);
  const before = await findSession(deps, context.cookies);
  const session =
    (await renewed(deps, before, user, { secretHash, methods })) ??
    (await created(deps, context, user, { secretHash, methods }));
  await endIfOutdated(deps, context, user, session);
  if (before !== null && before.session.id !== session.id) await revokeSession(deps, context, before.session.id);
  // Any login of the person shows that they have come: the account waits for its first password no more.
  if (user.onboardingPending !== null) await deps.users.clearOnboarding(user.id);
  const device = await noteBrowser(deps, context, user);
  await audit(deps, context, {
    type: 'user.logged_in',
    actor: user.id,
    subject: user.id,
    orgSlug: user.primaryOrg,
    data: { sessionId: session.id, methods, newDevice: device.isNew },
  });
  const seconds = Math.max(0, Math.floor((session.expiresAt.getTime() - deps.now().getTime()) / 1000));
  return { session, cookies: [writeCookie(deps.settings, 'session', secret, seconds), device.cookie] };
}

/**
 * Whoever reset the password while it was being checked found no session to end: this one is ended here, before anybody
 * has its secret. Read after the session was written: a reset that comes later finds it.
 */
async function endIfOutdated(
  deps: IdentityDeps,
  context: RouteContext,
  user: UserRecord,
  session: SessionRecord,
): Promise<void> {
  if (await isUnchanged(deps, user)) return;
  await revokeSession(deps, context, session.id, { actor: 'system', reason: 'ended while it began' });
  throw new FairleadError('LOGIN_FAILED', 'The account was changed while you signed in; sign in again');
}

type Login = Pick<SessionRecord, 'secretHash' | 'methods'>;

async function renewed(
  deps: IdentityDeps,
  before: LoggedIn | null,
  user: UserRecord,
  login: Login,
): Promise<SessionRecord | null> {
  if (before === null || before.user.id !== user.id) return null;
  const at = deps.now();
  if (!(await deps.sessions.reauthenticate(before.session.id, login, at))) return null;
  return { ...before.session, ...login, authenticatedAt: at, lastSeenAt: at };
}

async function created(
  deps: IdentityDeps,
  context: RouteContext,
  user: UserRecord,
  login: Login,
): Promise<SessionRecord> {
  const at = deps.now();
  const session: SessionRecord = {
    ...login,
    id: deps.newId('session'),
    userId: user.id,
    authenticatedAt: at,
    address: context.address,
    userAgent: context.userAgent,
    createdAt: at,
    lastSeenAt: at,
    expiresAt: new Date(at.getTime() + SESSION_DAYS * DAY_MS),
    revokedAt: null,
  };
  await deps.sessions.insert(session);
  return session;
}
