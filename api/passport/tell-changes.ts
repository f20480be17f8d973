import { saysTheSame } from '../../domain/passport/passport.ts';
import { type PassportDeps, readConnectedServices, readPassports } from './read-passports.ts';
import { CLOSE, type Subscriber } from './subscriber.ts';

/** Reads the passports of all who are connected together, tells those whose passport changed, and ends who is gone. */
export async function tellChanges(deps: PassportDeps, subscribers: Set<Subscriber>): Promise<void> {
  const holders = [...subscribers].map((subscriber) => {
    const { claims, passport } = subscriber;
    return { subscriber, claims, connectedServices: passport.connectedServices };
  });
  const passports = await readPassports(deps, holders);
  for (const [index, { subscriber }] of holders.entries()) {
    const passport = passports[index] ?? null;
    // Left, or ended, while passports were read.
    if (!subscribers.has(subscriber)) continue;
    if (passport === null) {
      subscribers.delete(subscriber);
      subscriber.send({ type: 'revoked' });
      subscriber.close(CLOSE.noUser, 'the account was removed or suspended');
    } else if (!saysTheSame(passport, subscriber.passport)) {
      const connectedServices = await readConnectedServices(deps, subscriber.claims);
      subscriber.passport = { ...passport, connectedServices };
      subscriber.send({ type: 'passport_updated', passport: subscriber.passport });
    }
  }
}
