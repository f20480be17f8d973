import { z } from 'zod';
import { REVOCATION_KINDS, type Revocation, type RevocationKind } from './revocation.ts';

const moment = z.iso.datetime();

/**
 * Who reads the denylist asks again for entries that were made this long before the last read: a write that takes long
 * shows its entry later than others that are younger. No write takes longer than a third of this (`RevocationStore.add`).
 */
export const FEED_OVERLAP_MS = 60_000;

/**
 * What the feed calls a token, grant, session, person or client: the SHA-256, in hex, of its kind and id. Verifiers are
 * services of all orgs, and a hash tells them nothing of those whose tokens they have not.
 * @param hash SHA-256 in hex
 */
export function feedId(hash: (text: string) => string, kind: RevocationKind, value: string): string {
  return hash(`${kind}:${value}`);
}

/**
 * The reply of `GET /api/oauth/revocations?since=<ISO>`: the living entries made at or after `since`, or all living ones
 * without it. `asOf` is the provider's clock when it read them: the next `since` counts from there, so that the clocks
 * of provider and verifier need not agree.
 */
export const revocationFeedSchema = z.object({
  asOf: moment,
  /**
   * Ids (`kid`) of the signing keys that were withdrawn, for 30 days at least, all of them each time. A provider of an
   * older version tells of none.
   */
  withdrawnKeys: z.array(z.string().max(128)).default([]),
  revocations: z.array(
    z.object({
      kind: z.enum(REVOCATION_KINDS),
      id: z.string().regex(/^[0-9a-f]{64}$/),
      issuedUntil: moment,
      expiresAt: moment,
    }),
  ),
});

export type RevocationFeed = z.infer<typeof revocationFeedSchema>;

/** Writes the entries of the denylist as the feed has them. */
export function revocationFeedOf(
  revocations: readonly Revocation[],
  asOf: Date,
  hash: (text: string) => string,
): Omit<RevocationFeed, 'withdrawnKeys'> {
  return {
    asOf: asOf.toISOString(),
    revocations: revocations.map(({ kind, value, issuedUntil, expiresAt }) => ({
      kind,
      id: feedId(hash, kind, value),
      issuedUntil: issuedUntil.toISOString(),
      expiresAt: expiresAt.toISOString(),
    })),
  };
}
