import type { Logger } from 'pino';
import type { AccessTokenClaims } from '../../domain/identity/claims.ts';
import { revocationFeedOf } from '../../domain/identity/revocation-feed.ts';
import { type Passport, saysTheSame } from '../../domain/passport/passport.ts';
import { createRevocationList } from '../../sdk/auth/revocation-list.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { type PassportDeps, readConnectedServices, readPassports } from './read-passports.ts';

/** Close codes of the socket (spec 1, "Passport socket"). */
export const CLOSE = { missingToken: 4001, invalidToken: 4003, noUser: 4004 } as const;

export type PassportEvent =
  | { readonly type: 'identity' | 'passport_updated'; readonly passport: Passport }
  | { readonly type: 'revoked' };

/** Someone who is connected and to be told of changes. */
export interface Watched {
  readonly claims: AccessTokenClaims;
  /** The passport they know. */
  passport: Passport;
  send(event: PassportEvent): void;
  close(code: number, reason: string): void;
}

export interface PassportWatch {
  add(watched: Watched): void;
  remove(watched: Watched): void;
  stop(): void;
}

const TICK_MS = 500;
/** Entries are read again this far back: one may have become visible after a later one. */
const OVERLAP_MS = 5_000;

/**
 * Looks twice a second at what was revoked, and once a second at everyone who is connected, all of them together: what
 * one process changes, the sockets of all show. Rests while nobody is connected.
 */
export function createPassportWatch(
  deps: PassportDeps & Pick<IdentityDeps, 'revocations'>,
  log: Logger,
): PassportWatch {
  const everyone = new Set<Watched>();
  const revoked = createRevocationList();
  let readUntil = deps.now();
  let timer: NodeJS.Timeout | null = null;
  let ticks = 0;
  let failing = false;

  const end = (watched: Watched, code: number, reason: string): void => {
    everyone.delete(watched);
    watched.close(code, reason);
  };

  async function endRevoked(): Promise<void> {
    const now = deps.now();
    const entries = await deps.revocations.since(new Date(readUntil.getTime() - OVERLAP_MS));
    readUntil = now;
    revoked.add(revocationFeedOf(entries, now).revocations);
    revoked.prune(now);
    for (const watched of everyone) {
      if (revoked.isRevoked(watched.claims)) {
        watched.send({ type: 'revoked' });
        end(watched, CLOSE.invalidToken, 'the token was revoked');
      } else if (watched.claims.exp * 1000 <= now.getTime()) {
        // Nobody ended the login: a new token continues it.
        end(watched, CLOSE.invalidToken, 'the token has expired');
      }
    }
  }

  async function tellChanges(): Promise<void> {
    const holders = [...everyone].map((watched) => {
      const { claims, passport } = watched;
      return { watched, claims, connectedServices: passport.connectedServices };
    });
    const passports = await readPassports(deps, holders);
    for (const [index, { watched }] of holders.entries()) {
      const passport = passports[index] ?? null;
      if (!everyone.has(watched)) continue;
      if (passport === null) {
        watched.send({ type: 'revoked' });
        end(watched, CLOSE.noUser, 'the account was removed or suspended');
      } else if (!saysTheSame(passport, watched.passport)) {
        const connectedServices = await readConnectedServices(deps, watched.claims);
        watched.passport = { ...passport, connectedServices };
        watched.send({ type: 'passport_updated', passport: watched.passport });
      }
    }
  }

  async function tick(): Promise<void> {
    ticks += 1;
    try {
      await endRevoked();
      if (ticks % 2 === 0) await tellChanges();
      failing = false;
    } catch (error) {
      // The next tick tries again; one line tells of an outage, not one a tick.
      if (!failing) log.error({ err: error }, 'changes of passports cannot be read');
      failing = true;
    }
    timer = null;
    schedule();
  }

  function schedule(): void {
    if (everyone.size > 0) timer ??= setTimeout(() => void tick(), TICK_MS).unref();
  }

  return {
    add(watched) {
      everyone.add(watched);
      schedule();
    },
    remove: (watched) => void everyone.delete(watched),
    stop() {
      if (timer !== null) clearTimeout(timer);
      everyone.clear();
    },
  };
}
