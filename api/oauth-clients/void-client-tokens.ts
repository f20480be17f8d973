import { CACHED_READ_MS } from '../identity/cached-reads.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { deny } from '../identity/revocation/deny.ts';

/**
 * Voids the access tokens of a client around a change that takes something away: before it as well, so that a process
 * which ends in between leaves no older token; a moment ahead, since another process may know the client as it was for
 * that long. Logins of people go on: refreshing gives them tokens without what was taken.
 */
export async function voidingTokensOfClient<T>(
  deps: Pick<IdentityDeps, 'revocations' | 'databaseTime'>,
  clientId: string,
  takeAway: () => Promise<T>,
): Promise<T> {
  await deny(deps, 'client', clientId, { aheadMs: CACHED_READ_MS });
  const result = await takeAway();
  await deny(deps, 'client', clientId, { aheadMs: CACHED_READ_MS });
  return result;
}
