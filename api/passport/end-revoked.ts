import { revocationFeedOf } from '../../domain/identity/revocation-feed.ts';
import { createRevocationList } from '../../sdk/auth/revocation-list.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { CLOSE, type Watched } from './watched.ts';

/** Entries are read again this far back: one may have become visible after a later one. */
const OVERLAP_MS = 5_000;

/** Ends the connections whose tokens were revoked since it was asked last, in one query, or have expired. */
export function createRevokedEnd(deps: Pick<IdentityDeps, 'revocations' | 'now'>) {
  const revoked = createRevocationList();
  let readUntil = deps.now();
  return async (everyone: Set<Watched>): Promise<void> => {
    const now = deps.now();
    const entries = await deps.revocations.since(new Date(readUntil.getTime() - OVERLAP_MS));
    readUntil = now;
    revoked.add(revocationFeedOf(entries, now).revocations);
    revoked.prune(now);
    for (const watched of everyone) {
      const wasRevoked = revoked.isRevoked(watched.claims);
      if (!wasRevoked && watched.claims.exp * 1000 > now.getTime()) continue;
      everyone.delete(watched);
      // Of an expired token nobody ended the login: a new token continues it, so nothing is said of revocation.
      if (wasRevoked) watched.send({ type: 'revoked' });
      watched.close(CLOSE.invalidToken, wasRevoked ? 'the token was revoked' : 'the token has expired');
    }
  };
}
