import { hash } from 'node:crypto';
import {
  REVOCATION_KINDS,
  type RevocableClaims,
  type RevocationKind,
  revocationKeysOf,
  voids,
} from '../../domain/identity/revocation.ts';
import { feedId, type RevocationFeed } from '../../domain/identity/revocation-feed.ts';

type Entry = RevocationFeed['revocations'][number];

interface Kept {
  readonly issuedUntil: Date;
  readonly expiresAt: Date;
}

/** The denylist as one verifier knows it. */
export interface RevocationList {
  /** Takes entries in; of one kind and id the latest moments stay, so the same entry may come twice. */
  add(entries: readonly Entry[]): void;
  /** Drops entries whose last token has expired. */
  prune(now: Date): void;
  isRevoked(claims: RevocableClaims): boolean;
  /** What it was that voided the token; empty for one that is good. */
  revokedBy(claims: RevocableClaims): readonly RevocationKind[];
}

export function createRevocationList(): RevocationList {
  // By kind, then id: what is empty, as most kinds are most of the time, costs a request no hash.
  const kinds = new Map<RevocationKind, Map<string, Kept>>(REVOCATION_KINDS.map((kind) => [kind, new Map()]));
  const entriesOf = (kind: RevocationKind): Map<string, Kept> => kinds.get(kind) ?? new Map();
  const isVoid = ({ kind, value }: { kind: RevocationKind; value: string }, claims: RevocableClaims): boolean => {
    const entries = entriesOf(kind);
    const entry = entries.size === 0 ? undefined : entries.get(feedId(sha256, kind, value));
    return entry !== undefined && voids({ kind, issuedUntil: entry.issuedUntil }, claims);
  };
  return {
    add: (added) => {
      for (const { kind, id, issuedUntil, expiresAt } of added) {
        const entries = entriesOf(kind);
        const before = entries.get(id);
        entries.set(id, {
          issuedUntil: later(before?.issuedUntil, new Date(issuedUntil)),
          expiresAt: later(before?.expiresAt, new Date(expiresAt)),
        });
      }
    },
    prune: (now) => {
      for (const entries of kinds.values()) {
        for (const [id, { expiresAt }] of entries) if (expiresAt < now) entries.delete(id);
      }
    },
    isRevoked: (claims) => revocationKeysOf(claims).some((key) => isVoid(key, claims)),
    revokedBy: (claims) =>
      revocationKeysOf(claims)
        .filter((key) => isVoid(key, claims))
        .map(({ kind }) => kind),
  };
}

const sha256 = (text: string): string => hash('sha256', text, 'hex');

function later(a: Date | undefined, b: Date): Date {
  return a !== undefined && a > b ? a : b;
}
