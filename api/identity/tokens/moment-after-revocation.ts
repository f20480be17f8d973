import { setTimeout as sleep } from 'node:timers/promises';
import type { RevocableClaims } from '../../../domain/identity/revocation.ts';
import { epochSeconds } from '../../../domain/identity/token-lifetimes.ts';
import type { IdentityDeps } from '../deps.ts';

/** A revocation reaches at most two seconds ahead (`revokeClient`): the third moment is good unless another one came. */
const TRIES = 3;

/**
 * A moment whose tokens are not void from the start, for a login that goes on after the access tokens of its person or
 * client were voided. `iat` has whole seconds and a revocation counts to the end of its own, so a login that is
 * refreshed in that second waits for the next. Read the rights that the token tells after this.
 * @returns `askedAt` when nothing was revoked, else a later moment of the database. @throws UNAVAILABLE
 */
export async function momentAfterRevocation(
  deps: Pick<IdentityDeps, 'revocations' | 'databaseTime'>,
  owner: Pick<RevocableClaims, 'sub' | 'client_id'>,
  askedAt: Date,
): Promise<Date> {
  let moment = askedAt;
  for (let tries = 1; tries < TRIES; tries += 1) {
    // No entry names an empty token id, so this asks about the person and the client alone.
    if (!(await deps.revocations.isRevoked({ jti: '', ...owner, iat: epochSeconds(moment) }))) return moment;
    await sleep(1000 - (moment.getTime() % 1000));
    moment = await deps.databaseTime();
  }
  return moment;
}
