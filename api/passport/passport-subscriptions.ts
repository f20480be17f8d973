import type { Logger } from 'pino';
import type { IdentityDeps } from '../identity/deps.ts';
import { createRevokedEnd } from './end-revoked.ts';
import type { PassportDeps } from './read-passports.ts';
import type { Subscriber } from './subscriber.ts';
import { tellChanges } from './tell-changes.ts';

export interface PassportSubscriptions {
  add(subscriber: Subscriber): void;
  remove(subscriber: Subscriber): void;
  stop(): void;
}

const TICK_MS = 500;

/**
 * Reads revocations twice a second and the passports of all subscribers once a second, so that the sockets of every process
 * show what one process changed. Reads nothing while nobody is connected.
 */
export function createPassportSubscriptions(
  deps: PassportDeps & Pick<IdentityDeps, 'revocations' | 'signingKeys' | 'tokens'>,
  log: Logger,
): PassportSubscriptions {
  const subscribers = new Set<Subscriber>();
  const endRevoked = createRevokedEnd(deps);
  let timer: NodeJS.Timeout | null = null;
  let ticks = 0;
  let failing = false;

  async function tick(): Promise<void> {
    ticks += 1;
    try {
      await endRevoked(subscribers);
      if (ticks % 2 === 0) await tellChanges(deps, subscribers);
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
    if (subscribers.size > 0) timer ??= setTimeout(() => void tick(), TICK_MS).unref();
  }

  return {
    add(subscriber) {
      subscribers.add(subscriber);
      schedule();
    },
    remove: (subscriber) => void subscribers.delete(subscriber),
    stop() {
      if (timer !== null) clearTimeout(timer);
      subscribers.clear();
    },
  };
}
