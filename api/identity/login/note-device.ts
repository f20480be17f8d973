import type { UserRecord } from '../../../domain/identity/user.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { deviceOf, sendNotice } from '../mail/send-notice.ts';
import { readableTime } from '../pages/readable-time.ts';
import { readCookie, writeCookie } from './cookies.ts';

/** Browsers keep no cookie for longer. */
const DEVICE_SECONDS = 400 * 86_400;

/** An account is made and signed in to in one go: its first login tells its person nothing new. */
const NEW_ACCOUNT_MS = 3_600_000;

/**
 * Remembers the browser that somebody signed in with, by a random cookie of its own, and tells them by mail when nobody
 * had signed in to their account with it. With each new password all begin anew.
 * @returns whether it is new, and the `Set-Cookie` value that knows it again
 */
export async function noteBrowser(
  deps: IdentityDeps,
  context: RouteContext,
  user: UserRecord,
): Promise<{ readonly isNew: boolean; readonly cookie: string }> {
  const device = readCookie(deps.settings, 'device', context.cookies) ?? deps.tokens.create('');
  const isNew = await noteDevice(deps, user, deps.tokens.hash(device), deviceOf(context));
  return { isNew, cookie: writeCookie(deps.settings, 'device', device, DEVICE_SECONDS) };
}

/** The same for a client whose own pages somebody signed in on: no browser is known there, so the client counts as one. */
export function noteClient(deps: IdentityDeps, user: UserRecord, clientId: string, address: string): Promise<boolean> {
  return noteDevice(deps, user, `client ${clientId}`, `${clientId}, ${address}`);
}

async function noteDevice(deps: IdentityDeps, user: UserRecord, device: string, shown: string): Promise<boolean> {
  const now = deps.now();
  const key = `device:${user.id}:${user.passwordVersion}:${device}`;
  // Counted, so that of many logins at once one is the first.
  const isNew = (await deps.attempts.count(key, DEVICE_SECONDS, now)) === 1;
  if (isNew && now.getTime() - user.createdAt.getTime() > NEW_ACCOUNT_MS) {
    sendNotice(deps, 'new_device', user, { what: readableTime(now), device: shown, path: '/account', expiresAt: now });
  }
  return isNew;
}
