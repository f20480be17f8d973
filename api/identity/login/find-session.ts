import type { SessionRecord } from '../../../domain/identity/login.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { IdentityDeps } from '../deps.ts';
import { readCookie } from './cookies.ts';
import { type EndLoginsDeps, finishEnding } from './end-logins.ts';

export interface LoggedIn {
  readonly session: SessionRecord;
  readonly user: UserRecord;
}

/** A session ends after this long without a request, and after `SESSION_DAYS` in any case. */
export const SESSION_IDLE_HOURS = 12;
export const SESSION_DAYS = 7;

const HOUR_MS = 3_600_000;

export type FindSessionDeps = EndLoginsDeps & Pick<IdentityDeps, 'tokens' | 'settings'>;

/** The session a request's cookie names and whose it is; null when it ended, was revoked, or its person is suspended. */
export async function findSession(
  deps: FindSessionDeps,
  cookies: Readonly<Record<string, string | undefined>>,
): Promise<LoggedIn | null> {
  const secret = readCookie(deps.settings, 'session', cookies);
  if (secret === null) return null;
  const session = await deps.sessions.findBySecretHash(deps.tokens.hash(secret));
  const now = deps.now();
  if (session === null || !isLive(session, now)) return null;
  const user = await deps.users.find(session.userId);
  if (user === null || user.suspendedAt !== null) return null;
  if ((await finishEnding(deps, user)) && (await deps.sessions.find(session.id))?.revokedAt !== null) return null;
  await deps.sessions.touch(session.id, now);
  return { session, user };
}

function isLive(session: SessionRecord, now: Date): boolean {
  const idleMs = now.getTime() - session.lastSeenAt.getTime();
  return session.revokedAt === null && session.expiresAt > now && idleMs < SESSION_IDLE_HOURS * HOUR_MS;
}
