import { type RevocableClaims, revocationKeysOf, voids } from '../../domain/identity/revocation.ts';
import type { RevocationFeed } from '../../domain/identity/revocation-feed.ts';

type Entry = RevocationFeed['revocations'][number];

interface Kept {
  readonly issuedUntil: Date;
  readonly expiresAt: Date;
}

/** The denylist as one verifier knows it. */
export interface RevocationList {
  /** Takes entries in; of one kind and value the latest moments stay, so the same entry may come twice. */
  add(entries: readonly Entry[]): void;
  /** Drops entries whose last token has expired. */
  prune(now: Date): void;
  isRevoked(claims: RevocableClaims): boolean;
  readonly size: number;
}

export function createRevocationList(): RevocationList {
  const entries = new Map<string, Kept>();
  return {
    add: (added) => {
      for (const { kind, value, issuedUntil, expiresAt } of added) {
        const key = keyOf(kind, value);
        const before = entries.get(key);
        entries.set(key, {
          issuedUntil: later(before?.issuedUntil, new Date(issuedUntil)),
          expiresAt: later(before?.expiresAt, new Date(expiresAt)),
        });
      }
    },
    prune: (now) => {
      for (const [key, { expiresAt }] of entries) if (expiresAt < now) entries.delete(key);
    },
    isRevoked: (claims) => {
      // Most of the time nothing at all is revoked, and then there is nothing to look up.
      if (entries.size === 0) return false;
      return revocationKeysOf(claims).some(({ kind, value }) => {
        const entry = entries.get(keyOf(kind, value));
        return entry !== undefined && voids(entry, claims);
      });
    },
    get size() {
      return entries.size;
    },
  };
}

/** Kinds hold no colon, so no two entries share a key. */
function keyOf(kind: string, value: string): string {
  return `${kind}:${value}`;
}

function later(a: Date | undefined, b: Date): Date {
  return a !== undefined && a > b ? a : b;
}
