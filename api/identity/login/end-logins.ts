import type { UserRecord } from '../../../domain/identity/user.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { revokeGrant, revokeSession } from '../revocation/revoke.ts';

export type EndLoginsDeps = Pick<
  IdentityDeps,
  'users' | 'revocations' | 'databaseTime' | 'grants' | 'sessions' | 'audit' | 'newId' | 'now'
>;

/**
 * Ends sessions and logins of a person. One by one rather than by an entry about the user: that would also void the tokens of
 * a login made with the new password within the same second.
 * @param keepSession is left alone with its logins; null for none
 * @param isDue asked once those that are there have been read: false leaves them alone
 */
export async function endLogins(
  deps: EndLoginsDeps,
  context: Pick<RouteContext, 'requestId' | 'address' | 'caller'> | null,
  userId: string,
  keepSession: string | null,
  isDue: () => Promise<boolean> = async () => true,
): Promise<void> {
  const now = deps.now();
  const sessions = await deps.sessions.listOfUser(userId, now);
  const grants = await deps.grants.listOfUser(userId, now);
  if (!(await isDue())) return;
  for (const { id } of sessions) if (id !== keepSession) await revokeSession(deps, context, id);
  for (const { id, sessionId } of grants) {
    if (sessionId === null || sessionId !== keepSession) await revokeGrant(deps, context, id);
  }
}

/**
 * Ends what is left to end of a change of the password, once that is stored: logins that were begun by the old one while it was
 * changed. A login by the new one begins after this has ended. So what was there while it was still to do is of the old one;
 * a process that was paused, and finds it done by another, ends nothing.
 */
export async function endEarlierLogins(
  deps: EndLoginsDeps,
  context: Parameters<typeof endLogins>[1],
  { id, passwordVersion }: Pick<UserRecord, 'id' | 'passwordVersion'>,
  keepSession: string | null,
): Promise<void> {
  await endLogins(deps, context, id, keepSession, async () => {
    const now = await deps.users.find(id);
    return now !== null && now.passwordVersion === passwordVersion && now.endingLogins !== null;
  });
  await deps.users.loginsEnded(id, passwordVersion);
}

/**
 * Does that where the process of the change was killed before it had. Asked before a login of the person begins or goes on;
 * what was read of a login before is read again.
 * @returns true when there was something to end. Idempotent
 */
export async function finishEnding(
  deps: EndLoginsDeps,
  user: Pick<UserRecord, 'id' | 'passwordVersion' | 'endingLogins'>,
): Promise<boolean> {
  if (user.endingLogins === null) return false;
  await endEarlierLogins(deps, null, user, user.endingLogins.keepSession);
  return true;
}
