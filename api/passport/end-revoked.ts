import { FEED_OVERLAP_MS, revocationFeedOf } from '../../domain/identity/revocation-feed.ts';
import { createRevocationList } from '../../sdk/auth/revocation-list.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { type PassportDeps, readConnectedServices, readPassports } from './read-passports.ts';
import { CLOSE, type Subscriber } from './subscriber.ts';

type Deps = PassportDeps & Pick<IdentityDeps, 'revocations' | 'signingKeys' | 'tokens'>;

/**
 * Ends the connections whose tokens were revoked since it was asked last, are of a withdrawn key, or have expired. One that
 * cannot be judged now stays among the subscribers, to be judged the next time, and keeps no other from its end.
 */
export function createRevokedEnd(deps: Deps) {
  const revoked = createRevocationList();
  let readUntil = deps.now();
  return async (subscribers: Set<Subscriber>): Promise<void> => {
    const now = deps.now();
    const [entries, withdrawn] = await Promise.all([
      deps.revocations.since(new Date(readUntil.getTime() - FEED_OVERLAP_MS)),
      deps.signingKeys.readWithdrawn(),
    ]);
    readUntil = now;
    const withdrawnKeys = new Set(withdrawn.map(({ id }) => id));
    revoked.add(revocationFeedOf(entries, now, deps.tokens.hash).revocations);
    revoked.prune(now);
    const failures: unknown[] = [];
    for (const subscriber of subscribers) {
      const by = revoked.revokedBy(subscriber.claims);
      const isOfWithdrawnKey = withdrawnKeys.has(subscriber.keyId);
      if (by.length === 0 && !isOfWithdrawnKey && subscriber.claims.exp * 1000 > now.getTime()) continue;
      try {
        if (isOfWithdrawnKey)
          subscriber.close(CLOSE.invalidToken, 'the key of the token was withdrawn: get a new token');
        else await end(deps, subscriber, by);
        subscribers.delete(subscriber);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'connections could not be judged');
  };
}

/**
 * `revoked` is said when a login is over, and a client then clears its session. A token may be void while the login goes
 * on: because it expired, or because rights were taken away. Then the new passport is shown, and the close sends the
 * client for a new token.
 */
async function end(deps: Deps, subscriber: Subscriber, revokedBy: readonly string[]): Promise<void> {
  if (revokedBy.length === 0) return subscriber.close(CLOSE.invalidToken, 'the token has expired');
  const rightsAlone = revokedBy.every((kind) => kind === 'user');
  const passport = rightsAlone && (await isLoginAlive(deps, subscriber)) ? await readPassport(deps, subscriber) : null;
  subscriber.send(passport === null ? { type: 'revoked' } : { type: 'passport_updated', passport });
  subscriber.close(
    CLOSE.invalidToken,
    passport === null ? 'the token was revoked' : 'permissions changed: get a new token',
  );
}

async function isLoginAlive(deps: Deps, { claims }: Subscriber): Promise<boolean> {
  const grant = claims.gid === undefined ? null : await deps.grants.find(claims.gid);
  return grant !== null && grant.revokedAt === null && grant.expiresAt > deps.now();
}

async function readPassport(deps: Deps, { claims }: Subscriber) {
  const connectedServices = await readConnectedServices(deps, claims);
  const [passport = null] = await readPassports(deps, [{ claims, connectedServices }]);
  return passport;
}
