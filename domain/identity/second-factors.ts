import type { UserRecord } from './user.ts';

type Factors = Pick<UserRecord, 'totp' | 'passkeys'>;

/**
 * Days in which a first second factor is on trial. Whoever has a session and no second factor to show adds the first one,
 * and that may be a thief. Its owner is told by mail, and until the trial is over a reset by a mailed link removes it.
 */
export const FACTOR_TRIAL_DAYS = 7;

const DAY_MS = 86_400_000;

/**
 * True when a password or a mailed link is not enough: with a confirmed code generator, or any passkey. Whoever has
 * either has recovery codes as well, so that a lost device locks nobody out.
 */
export function hasSecondFactor(user: Factors): boolean {
  return factorsSince(user) !== null;
}

/**
 * Since when a person has second factors without a break; null for none. A factor is added by showing one that is there,
 * so each descends from the first one, and carries its time: replacing a phone begins no new trial, and a thief who adds
 * a second one makes neither older.
 */
export function factorsSince({ totp, passkeys }: Factors): Date | null {
  const times = [...(totp?.since == null ? [] : [totp.since]), ...passkeys.map(({ since }) => since)];
  return times.length === 0 ? null : new Date(Math.min(...times.map((time) => time.getTime())));
}

/**
 * Whether second factors outlive a reset of the password by a link that was mailed: not during their trial, so that a
 * thief who registered one does not keep the account; afterwards always, so that a mailbox alone does not open an
 * account that has one.
 */
export function outliveReset(user: Factors, now: Date): boolean {
  const since = factorsSince(user);
  return since !== null && now.getTime() - since.getTime() >= FACTOR_TRIAL_DAYS * DAY_MS;
}
