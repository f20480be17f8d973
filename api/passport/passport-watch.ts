import type { Logger } from 'pino';
import type { IdentityDeps } from '../identity/deps.ts';
import { createRevokedEnd } from './end-revoked.ts';
import type { PassportDeps } from './read-passports.ts';
import { tellChanges } from './tell-changes.ts';
import type { Watched } from './watched.ts';

export interface PassportWatch {
  add(watched: Watched): void;
  remove(watched: Watched): void;
  stop(): void;
}

const TICK_MS = 500;

/**
 * Looks twice a second at what was revoked, and once a second at everyone who is connected, all of them together: what
 * one process changes, the sockets of all show. Rests while nobody is connected.
 */
export function createPassportWatch(
  deps: PassportDeps & Pick<IdentityDeps, 'revocations'>,
  log: Logger,
): PassportWatch {
  const everyone = new Set<Watched>();
  const endRevoked = createRevokedEnd(deps);
  let timer: NodeJS.Timeout | null = null;
  let ticks = 0;
  let failing = false;

  async function tick(): Promise<void> {
    ticks += 1;
    try {
      await endRevoked(everyone);
      if (ticks % 2 === 0) await tellChanges(deps, everyone);
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
