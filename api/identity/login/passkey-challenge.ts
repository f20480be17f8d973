import { z } from 'zod';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { readCookie, writeCookie } from './cookies.ts';
import { readState, signState } from './signed-state.ts';

const TTL_SECONDS = 300;
const schema = z.object({ challenge: z.string(), purpose: z.string() });

/**
 * A challenge, kept by the browser in a signed cookie.
 * @param purpose what for and whose, such as `login`, `second-factor/<attempt>`, `register/<session>`
 */
export function createChallenge(
  deps: Pick<IdentityDeps, 'tokens' | 'now' | 'settings'>,
  purpose: string,
): { challenge: string; cookie: string } {
  const challenge = deps.tokens.create('');
  const state = signState(deps, 'passkey-challenge', { challenge, purpose }, TTL_SECONDS);
  return { challenge, cookie: writeCookie(deps.settings, 'challenge', state, TTL_SECONDS) };
}

/** Takes the challenge of this browser: it works once, also for many at once. Null when it is none for this purpose. */
export async function takeChallenge(
  deps: Pick<IdentityDeps, 'attempts' | 'tokens' | 'now' | 'settings'>,
  context: Pick<RouteContext, 'cookies'>,
  purpose: string,
): Promise<string | null> {
  const cookie = readCookie(deps.settings, 'challenge', context.cookies);
  const state = readState(deps, 'passkey-challenge', schema, cookie);
  if (state === null || state.purpose !== purpose) return null;
  // The window outlives the challenge, so its first use stays the only one.
  const key = `passkey-challenge:${deps.tokens.hash(state.challenge)}`;
  const uses = await deps.attempts.count(key, 2 * TTL_SECONDS, deps.now());
  return uses === 1 ? state.challenge : null;
}
