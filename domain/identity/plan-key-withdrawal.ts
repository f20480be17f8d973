import type { KeySet, SigningKey, WithdrawnKey } from './signing-key.ts';

/**
 * How long a withdrawn key is told of at least. Who verifies reads the published keys at least once a minute, where the key is no
 * more; this is for who was kept from reading them.
 */
export const WITHDRAWN_KEPT_MS = 30 * 24 * 60 * 60_000;

/** What one withdrawal changes. */
export interface KeyWithdrawalPlan {
  /** The keys that stay, with their new states. */
  readonly keys: readonly SigningKey[];
  readonly withdrawn: readonly WithdrawnKey[];
  /** States of the keys to be made. */
  readonly create: readonly ('active' | 'next')[];
  /** The key that signs from now on, if it is an existing one that did not before. */
  readonly activated: string | null;
  /** True when it was withdrawn before. */
  readonly unchanged: boolean;
}

/**
 * Takes a key out of use at once: it signs no more, is published no more, and is told of as withdrawn. In the place of the
 * active key the next one signs, however short it has been published: verifiers read the keys when they meet an unknown
 * one. Null when there is no such key.
 */
export function planKeyWithdrawal(set: KeySet, keyId: string, now: Date): KeyWithdrawalPlan | null {
  const { keys, withdrawn } = set;
  if (withdrawn.some(({ id }) => id === keyId))
    return { keys, withdrawn, create: [], activated: null, unchanged: true };
  if (!keys.some(({ id }) => id === keyId)) return null;
  const kept = keys.filter(({ id }) => id !== keyId);
  const hasActive = kept.some(({ state }) => state === 'active');
  const next = kept.find(({ state }) => state === 'next');
  const activated = hasActive ? undefined : next;
  return {
    keys: kept.map((key) => (key === activated ? { ...key, state: 'active', activatedAt: now } : key)),
    withdrawn: [
      ...withdrawn.filter(({ withdrawnAt }) => now.getTime() - withdrawnAt.getTime() < WITHDRAWN_KEPT_MS),
      { id: keyId, withdrawnAt: now },
    ],
    create: [
      ...(!hasActive && activated === undefined ? (['active'] as const) : []),
      ...(next === undefined || activated !== undefined ? (['next'] as const) : []),
    ],
    activated: activated?.id ?? null,
    unchanged: false,
  };
}
