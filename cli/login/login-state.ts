import type { Clock } from '../../domain/clock.ts';
import { CliFailure } from '../cli-failure.ts';
import type { StoredLogin } from './credentials-file.ts';

/** Renewed this long before its end, so that it is still good when it arrives. */
const EARLY_MS = 60_000;

export function isFresh(login: StoredLogin, now: Clock): boolean {
  return Date.parse(login.expiresAt) - now().getTime() > EARLY_MS;
}

/** The one line for a login that is over, however that showed. */
export function loginEnded(api: string): CliFailure {
  return new CliFailure('LOGIN_ENDED', `Your login at ${api} has expired or was ended.`, {
    exit: 'auth',
    remedy: 'Run `fairlead login`.',
  });
}

export function notLoggedIn(api: string): CliFailure {
  return new CliFailure('NOT_LOGGED_IN', `You are not logged in at ${api}, and no key of it is known.`, {
    exit: 'auth',
    remedy: 'Run `fairlead login`, or set FAIRLEAD_KEY to the key of that API.',
  });
}
