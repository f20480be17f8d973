import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import { LOGIN_METHODS, type LoginMethod, type UserRecord } from '../../../domain/identity/user.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { readCookie, writeCookie } from './cookies.ts';
import { readState, signState } from './signed-state.ts';

/** Seconds to find the second factor in; the counters outlive it. */
const TTL_SECONDS = 600;
export const MAX_WRONG_CODES = 5;

const schema = z.object({
  id: z.string(),
  userId: z.string(),
  // Attempts of before there was one are for people who have set no password since.
  passwordVersion: z.int().default(0),
  methods: z.array(z.enum(LOGIN_METHODS)),
});

/** A login that still lacks its second factor; it opens nothing by itself. */
export type LoginAttempt = z.infer<typeof schema>;

type Deps = Pick<IdentityDeps, 'tokens' | 'now' | 'settings' | 'attempts'>;

/** The `Set-Cookie` value of a new attempt. */
export function startAttempt(deps: Deps, user: UserRecord, methods: readonly LoginMethod[]): string {
  const { id: userId, passwordVersion } = user;
  const attempt: LoginAttempt = { id: deps.tokens.create(''), userId, passwordVersion, methods: [...methods] };
  return writeCookie(deps.settings, 'login', signState(deps, 'login-attempt', attempt, TTL_SECONDS), TTL_SECONDS);
}

/** The attempt of this browser; null when there is none, or it took too long. */
export function readAttempt(deps: Deps, context: Pick<RouteContext, 'cookies'>): LoginAttempt | null {
  return readState(deps, 'login-attempt', schema, readCookie(deps.settings, 'login', context.cookies));
}

/** Counts a try before it is looked at. @throws LOGIN_LOCKED when the attempt is over */
export async function countTry(deps: Deps, attempt: LoginAttempt): Promise<void> {
  const tries = await deps.attempts.count(keyOf(deps, 'tries', attempt), 2 * TTL_SECONDS, deps.now());
  if (tries > MAX_WRONG_CODES) throw new FairleadError('LOGIN_LOCKED', 'Too many wrong codes; sign in again');
}

/** Ends the attempt in a login: of many at once exactly one may. */
export async function completeAttempt(deps: Deps, attempt: LoginAttempt): Promise<boolean> {
  return (await deps.attempts.count(keyOf(deps, 'completed', attempt), 2 * TTL_SECONDS, deps.now())) === 1;
}

function keyOf(deps: Pick<IdentityDeps, 'tokens'>, what: string, attempt: LoginAttempt): string {
  return `login-attempt:${what}:${deps.tokens.hash(attempt.id)}`;
}
