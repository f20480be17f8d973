import { setTimeout as sleep } from 'node:timers/promises';
import { FairleadError } from '../../../domain/errors.ts';
import type { RevocableClaims } from '../../../domain/identity/revocation.ts';
import { epochSeconds } from '../../../domain/identity/token-lifetimes.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
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

/** Longer ago than any revocation that a change of the client or its org brings along reaches ahead. */
const CHANGED_LATELY_MS = 5_000;

/**
 * The same for a service that asks for its own token. The database is asked only after its client or org was changed lately:
 * such a token costs no read otherwise. Another process may know of the change a second later; a token of that second
 * is void.
 * @returns the client as it is then. @throws OAUTH_INVALID_CLIENT for one that is gone; UNAVAILABLE
 */
export async function serviceAfterRevocation(
  deps: Pick<IdentityDeps, 'revocations' | 'databaseTime' | 'clients' | 'orgs'>,
  client: ClientRecord,
  askedAt: Date,
): Promise<{ readonly client: ClientRecord; readonly issuedAt: Date }> {
  const org = await deps.orgs.find(client.orgSlug);
  const changedAt = Math.max(client.updatedAt.getTime(), org?.updatedAt.getTime() ?? 0);
  if (askedAt.getTime() - changedAt > CHANGED_LATELY_MS) return { client, issuedAt: askedAt };
  const { clientId } = client;
  const issuedAt = await momentAfterRevocation(deps, { sub: clientId, client_id: clientId }, askedAt);
  if (issuedAt === askedAt) return { client, issuedAt };
  const now = await deps.clients.find(clientId);
  const owner = now === null ? null : await deps.orgs.find(now.orgSlug);
  if (now !== null && owner !== null && owner.suspendedAt === null) return { client: now, issuedAt };
  throw new FairleadError('OAUTH_INVALID_CLIENT', 'The client was removed, or its organization suspended');
}
