import { saysTheSame } from '../../domain/passport/passport.ts';
import { type PassportDeps, readConnectedServices, readPassports } from './read-passports.ts';
import { CLOSE, type Watched } from './watched.ts';

/** Reads the passports of all who are connected together, tells those whose passport changed, and ends who is gone. */
export async function tellChanges(deps: PassportDeps, everyone: Set<Watched>): Promise<void> {
  const holders = [...everyone].map((watched) => {
    const { claims, passport } = watched;
    return { watched, claims, connectedServices: passport.connectedServices };
  });
  const passports = await readPassports(deps, holders);
  for (const [index, { watched }] of holders.entries()) {
    const passport = passports[index] ?? null;
    // Left, or ended, while passports were read.
    if (!everyone.has(watched)) continue;
    if (passport === null) {
      everyone.delete(watched);
      watched.send({ type: 'revoked' });
      watched.close(CLOSE.noUser, 'the account was removed or suspended');
    } else if (!saysTheSame(passport, watched.passport)) {
      const connectedServices = await readConnectedServices(deps, watched.claims);
      watched.passport = { ...passport, connectedServices };
      watched.send({ type: 'passport_updated', passport: watched.passport });
    }
  }
}
