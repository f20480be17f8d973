import type { RevocationKind } from '../../../domain/identity/revocation.ts';
import { addSeconds, LONGEST_TOKEN_SECONDS } from '../../../domain/identity/token-lifetimes.ts';
import type { IdentityDeps } from '../deps.ts';

/** Entries outlive the last token they void: verifiers accept a token a little longer, and one may just be on its way. */
const KEPT_LONGER_SECONDS = 10 * 60;

/**
 * Writes an entry of the denylist, with the time of the database: tokens have that time as well, so that the clock of no
 * process makes one look as if it was issued later. Idempotent. @throws UNAVAILABLE
 */
export async function deny(
  deps: Pick<IdentityDeps, 'revocations' | 'databaseTime'>,
  kind: RevocationKind,
  value: string,
  options: {
    /** Voids tokens that are issued in the next moment, too. */
    readonly aheadMs?: number;
    /** When the last token it voids expires, where that is known. */
    readonly lastExpiry?: Date;
  } = {},
): Promise<void> {
  const revokedAt = await deps.databaseTime();
  const issuedUntil = new Date(revokedAt.getTime() + (options.aheadMs ?? 0));
  const lastExpiry = options.lastExpiry ?? addSeconds(issuedUntil, LONGEST_TOKEN_SECONDS);
  const expiresAt = addSeconds(lastExpiry, KEPT_LONGER_SECONDS);
  await deps.revocations.add({ kind, value, issuedUntil, revokedAt, expiresAt });
}
