import { FairleadError } from '../../../domain/errors.ts';
import { normalizeEmail } from '../../../domain/identity/email-address.ts';
import { type AttemptLimit, exceeds, LOGIN_LIMITS, networkOf, secondsUntil } from '../../../domain/identity/lockout.ts';
import { normalizePassword } from '../../../domain/identity/password-rules.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';

export interface PasswordLogin {
  readonly email: string;
  readonly password: string;
  /** Where the person is on the network; null when that is not known, so that only the account's limit counts. */
  readonly address: string | null;
}

type Deps = Pick<IdentityDeps, 'users' | 'attempts' | 'hasher' | 'tokens' | 'audit' | 'newId' | 'now' | 'log'>;

/**
 * The user whose address and password these are. An attempt is counted before the hash is computed, so that many at
 * once are no way around the limit, and is taken back when it succeeds. An account that does not exist is counted,
 * locked and checked against a decoy like any other: neither the answer nor its time tells them apart.
 * @throws LOGIN_FAILED for whatever is wrong, suspended users included; LOGIN_LOCKED with `retryAfterSeconds`.
 */
export async function checkPassword(deps: Deps, login: PasswordLogin): Promise<UserRecord> {
  const email = normalizeEmail(login.email) ?? login.email.trim().toLowerCase();
  const accountKey = `login:account:${deps.tokens.hash(email)}`;
  const addressKey = login.address === null ? null : `login:address:${deps.tokens.hash(networkOf(login.address))}`;
  if (addressKey !== null) await countAttempt(deps, addressKey, LOGIN_LIMITS.address);
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
