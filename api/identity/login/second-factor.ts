import { Secret, TOTP } from 'otpauth';
import { FairleadError } from '../../../domain/errors.ts';
import type { TotpFactor, UserRecord } from '../../../domain/identity/user.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';

const STEP_SECONDS = 30;
/** Wrong codes of one person within the window, over all their logins: a password alone does not buy endless guesses. */
const MAX_WRONG_CODES = 20;
const WINDOW_SECONDS = 900;

/**
 * Takes a code: six digits of the generator, or a recovery code. Each works once, however many present it at once.
 * @returns which of the two it was
 * @throws LOGIN_FAILED for a wrong or used code; LOGIN_LOCKED after too many of them
 */
export async function takeSecondFactor(
  deps: IdentityDeps,
  context: Pick<RouteContext, 'requestId' | 'address'>,
  user: UserRecord,
  code: string,
): Promise<'totp' | 'recovery'> {
  const key = `second-factor:${user.id}`;
  // Counted before it is looked at: many at once are no way around the limit.
  const attempts = await deps.attempts.count(key, WINDOW_SECONDS, deps.now());
  if (attempts > MAX_WRONG_CODES) {
    throw new FairleadError('LOGIN_LOCKED', 'Too many wrong codes; wait a quarter of an hour');
  }
  const used = await takeCode(deps, user, code);
  if (used === null) {
    await audit(deps, context, {
      type: 'user.second_factor_failed',
      actor: 'anonymous',
      subject: user.id,
      orgSlug: user.primaryOrg,
    });
    throw new FairleadError('LOGIN_FAILED', 'This code is wrong, or was used before');
  }
  await deps.attempts.clear(key);
  if (used === 'recovery') {
    await audit(deps, context, {
      type: 'user.recovery_code_used',
      actor: user.id,
      subject: user.id,
      orgSlug: user.primaryOrg,
      data: { left: user.recoveryCodes.length - 1 },
    });
  }
  return used;
}

async function takeCode(deps: IdentityDeps, user: UserRecord, code: string): Promise<'totp' | 'recovery' | null> {
  const digits = code.replace(/\s/g, '');
  if (/^\d{6}$/.test(digits)) {
    if (user.totp === null || user.totp.confirmedAt === null) return null;
    const step = matchingStep(deps, user.id, user.totp, digits);
    return step !== null && (await deps.users.takeTotpStep(user.id, step)) ? 'totp' : null;
  }
  const hash = deps.tokens.hash(normalizeRecoveryCode(code));
  return (await deps.users.takeRecoveryCode(user.id, hash)) ? 'recovery' : null;
}

/** The time step a code belongs to, one before and after included for clocks that differ; null when it is wrong. */
export function matchingStep(
  deps: Pick<IdentityDeps, 'cipher' | 'now'>,
  userId: string,
  factor: TotpFactor,
  digits: string,
): number | null {
  const secret = deps.cipher.open(factor.secret, totpContext(userId));
  const timestamp = deps.now().getTime();
  const delta = TOTP.validate({ token: digits, secret: Secret.fromBase32(secret), timestamp, window: 1 });
  return delta === null ? null : Math.floor(timestamp / 1000 / STEP_SECONDS) + delta;
}

/** A new generator, unconfirmed: not asked for until a first code was shown to work. */
export function createTotp(deps: Pick<IdentityDeps, 'cipher'>, userId: string): TotpFactor {
  const secret = new Secret({ size: 20 }).base32;
  return { secret: deps.cipher.seal(secret, totpContext(userId)), confirmedAt: null, lastStep: null, since: null };
}

/** What the person puts into their app: the secret in base 32, and the URI of a QR code. */
export function revealTotp(
  deps: Pick<IdentityDeps, 'cipher' | 'settings'>,
  user: Pick<UserRecord, 'id' | 'email'>,
  factor: TotpFactor,
): { secret: string; uri: string } {
  const secret = deps.cipher.open(factor.secret, totpContext(user.id));
  const totp = new TOTP({ issuer: deps.settings.platformName, label: user.email, secret: Secret.fromBase32(secret) });
  return { secret, uri: totp.toString() };
}

function totpContext(userId: string): { service: string; key: string } {
  return { service: `user/${userId}`, key: 'totp' };
}

export const RECOVERY_CODES = 10;
/** Without letters and digits that look alike. */
const RECOVERY_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Fresh recovery codes, about 49 bits each: shown once, kept as hashes. */
export function createRecoveryCodes(deps: Pick<IdentityDeps, 'tokens'>): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    const letters = deps.tokens.letters(RECOVERY_ALPHABET, 10);
    return `${letters.slice(0, 5)}-${letters.slice(5)}`;
  });
  return { codes, hashes: codes.map((code) => deps.tokens.hash(normalizeRecoveryCode(code))) };
}

function normalizeRecoveryCode(code: string): string {
  return code.toLowerCase().replace(/[^a-z0-9]/g, '');
}
