import type { KeySet, SigningKey } from './signing-key.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a key signs. */
export const ACTIVE_MS = 30 * 24 * HOUR_MS;

/** How long a key is published before it signs: far longer than any verifier keeps a key set. */
export const PUBLISHED_BEFORE_USE_MS = 10 * MINUTE_MS;

/** The same for a rotation by hand: the key set may be cached for a minute, and processes re-read it every 10 seconds. */
export const PUBLISHED_BEFORE_FORCED_USE_MS = 2 * MINUTE_MS;

/** How long a retired key stays published: the longest token lives 24 hours, and clocks differ. */
export const RETIRING_MS = 25 * HOUR_MS;

/** Retired keys published at once; rotating by hand over and over must not make the key set grow without end. */
export const MAX_RETIRING = 8;

/** What one rotation changes. */
export interface KeyRotationPlan {
  /** The keys that stay, with their new states. */
  readonly keys: readonly SigningKey[];
  /** States of the keys to be made: a first active one, and the next one. */
  readonly create: readonly ('active' | 'next')[];
  readonly activated: string | null;
  readonly retired: string | null;
  readonly removed: readonly string[];
  /** True when nothing is due. */
  readonly unchanged: boolean;
  /** When a rotation by hand becomes possible, if it was asked for too early; nothing else is refused. */
  readonly notBefore: Date | null;
}

/**
 * Decides what happens to the signing keys at a moment: next → active → retiring → gone. A key that signs was always
 * published before, one that signed is published until its last token has expired, and there is one active key at any
 * time. Asking again at the same moment, after the plan was carried out, changes nothing, unless by `force`, which
 * does not wait for the active key's 30 days.
 */
export function planKeyRotation(set: KeySet, now: Date, force: boolean): KeyRotationPlan {
  const gone = set.keys.filter((key) => isGone(key, now));
  const kept = set.keys.filter((key) => !gone.includes(key));
  const active = kept.find(({ state }) => state === 'active');
  const next = kept.find(({ state }) => state === 'next');
  const notBefore = force ? forcedNotBefore(kept, next, now) : null;
  const activate = next !== undefined && isDue(active, next, now, force && notBefore === null);
  const keys = activate ? kept.map((key) => promote(key, active, next, now)) : kept;
  const create = [
    ...(active === undefined && next === undefined ? (['active'] as const) : []),
    ...(next === undefined || activate ? (['next'] as const) : []),
  ];
  return {
    keys,
    create,
    activated: activate ? next.id : null,
    retired: activate ? (active?.id ?? null) : null,
    removed: gone.map(({ id }) => id),
    unchanged: !activate && create.length === 0 && gone.length === 0,
    notBefore,
  };
}

function isGone(key: SigningKey, now: Date): boolean {
  return key.state === 'retiring' && age(key.retiredAt, now) >= RETIRING_MS;
}

function isDue(active: SigningKey | undefined, next: SigningKey, now: Date, force: boolean): boolean {
  // Without an active key nothing could be signed at all.
  if (active === undefined || force) return true;
  return age(active.activatedAt, now) >= ACTIVE_MS && age(next.createdAt, now) >= PUBLISHED_BEFORE_USE_MS;
}

function forcedNotBefore(kept: readonly SigningKey[], next: SigningKey | undefined, now: Date): Date | null {
  const published = (next?.createdAt ?? now).getTime() + PUBLISHED_BEFORE_FORCED_USE_MS;
  const retired = kept
    .filter(({ state }) => state === 'retiring')
    .map(({ retiredAt }) => (retiredAt ?? now).getTime())
    .sort((a, b) => a - b);
  const room = retired.length < MAX_RETIRING ? 0 : (retired[retired.length - MAX_RETIRING] ?? 0) + RETIRING_MS;
  const earliest = Math.max(published, room);
  return earliest <= now.getTime() ? null : new Date(earliest);
}

function promote(key: SigningKey, active: SigningKey | undefined, next: SigningKey, now: Date): SigningKey {
  if (key === next) return { ...key, state: 'active', activatedAt: now };
  return key === active ? { ...key, state: 'retiring', retiredAt: now } : key;
}

function age(since: Date | null, now: Date): number {
  return since === null ? Number.POSITIVE_INFINITY : now.getTime() - since.getTime();
}
