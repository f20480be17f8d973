import { FairleadError } from '../../../domain/errors.ts';
import { normalizeEmail } from '../../../domain/identity/email-address.ts';
import {
  type AttemptLimit,
  exceeds,
  LOGIN_LIMITS,
  networkOf,
  PACE_SECONDS,
  secondsUntil,
} from '../../../domain/identity/lockout.ts';
import { type ChallengeAnswer, challengeBits } from '../../../domain/identity/login-challenge.ts';
import { normalizePassword } from '../../../domain/identity/password-rules.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { createLoginChallenge, takeChallengeAnswer } from './login-challenge.ts';

export interface PasswordLogin {
  readonly email: string;
  readonly password: string;
  /** Where the person is on the network; null when that is not known, so that only the account's limit counts. */
  readonly address: string | null;
  /** The answer to a challenge of an attempt before. */
  readonly challenge?: ChallengeAnswer | null | undefined;
}

type Deps = Pick<IdentityDeps, 'users' | 'attempts' | 'hasher' | 'tokens' | 'audit' | 'newId' | 'now' | 'log'>;

/**
 * The user whose address and password these are. An attempt is counted before the hash is computed, so that many at
 * once are no way around the limit, and is taken back when it succeeds. An account that does not exist is counted,
 * locked and checked against a decoy like any other: neither the answer nor its time tells them apart.
 * @throws LOGIN_FAILED for whatever is wrong, suspended users included; LOGIN_LOCKED with `retryAfterSeconds`, and with a
 * `challenge` where it is the address that failed too often: who answers it need not wait.
 */
export async function checkPassword(deps: Deps, login: PasswordLogin): Promise<UserRecord> {
  const email = normalizeEmail(login.email) ?? login.email.trim().toLowerCase();
  const accountKey = `login:account:${deps.tokens.hash(email)}`;
  const addressKey = login.address === null ? null : `login:address:${deps.tokens.hash(networkOf(login.address))}`;
  if (addressKey !== null) await slowDown(deps, addressKey, login.challenge ?? null);
  await countAttempt(deps, accountKey, LOGIN_LIMITS.account);

  const user = await deps.users.findByEmail(email);
  const password = normalizePassword(login.password);
  const matches = await deps.hasher.verify(password, user?.passwordHash ?? null);
  if (user === null || !matches || user.suspendedAt !== null) {
    await auditFailure(deps, user, login.address);
    throw new FairleadError('LOGIN_FAILED', 'The e-mail address or the password is wrong');
  }
  await deps.attempts.clear(accountKey);
  if (addressKey !== null) await deps.attempts.forgive(addressKey, deps.now());
  await upgradeHash(deps, user, password);
  return user;
}

/**
 * Lets every attempt of an address through until too many failed; then one every two seconds, and those that come with an
 * answered challenge. So who tries many passwords is slowed down, and the others at the address are not locked out.
 * @throws LOGIN_LOCKED for an attempt that has to wait, or to answer; it is not counted
 */
async function slowDown(deps: Deps, key: string, answer: ChallengeAnswer | null): Promise<void> {
  const limit = LOGIN_LIMITS.address;
  const attempts = await deps.attempts.count(key, limit.windowSeconds, deps.now());
  if (!exceeds(limit, attempts)) return;
  if (answer !== null && (await takeChallengeAnswer(deps, key, answer))) return;
  if ((await deps.attempts.count(`${key}:pace`, PACE_SECONDS, deps.now())) === 1) return;
  await deps.attempts.forgive(key, deps.now());
  const challenge = createLoginChallenge(deps, key, challengeBits(attempts, limit.failures));
  const message = 'Too many failed attempts from your network; try again in a moment, or sign in by a link';
  throw new FairleadError('LOGIN_LOCKED', message, { details: { retryAfterSeconds: PACE_SECONDS, challenge } });
}

/** @throws LOGIN_LOCKED when this attempt is one too many. */
async function countAttempt(deps: Deps, key: string, limit: AttemptLimit): Promise<void> {
  const now = deps.now();
  const attempts = await deps.attempts.count(key, limit.windowSeconds, now);
  if (!exceeds(limit, attempts)) return;
  const window = await deps.attempts.read(key, now);
  const retryAfterSeconds = window === null ? 1 : secondsUntil(window.until, now);
  throw new FairleadError('LOGIN_LOCKED', 'Too many failed attempts; wait a while, or sign in by a link', {
    details: { retryAfterSeconds },
  });
}

/** One write for every account, there or not; an address that nobody has is not kept, it may be a mistyped secret. */
async function auditFailure(deps: Deps, user: UserRecord | null, address: string | null): Promise<void> {
  await audit(deps, null, {
    type: 'user.login_failed',
    actor: 'anonymous',
    subject: user?.id ?? 'unknown',
    orgSlug: user?.primaryOrg ?? null,
    data: { address },
  });
}

/** Hashes made with weaker parameters are replaced at a login, when the password is at hand. */
async function upgradeHash(deps: Deps, user: UserRecord, password: string): Promise<void> {
  const { passwordHash } = user;
  if (passwordHash === null || !deps.hasher.isOutdated(passwordHash)) return;
  try {
    await deps.users.upgradePasswordHash(user.id, passwordHash, await deps.hasher.hash(password));
  } catch (error) {
    // The login itself is good; the next one tries again.
    deps.log.warn({ err: error, userId: user.id }, 'a password could not be rehashed');
  }
}
