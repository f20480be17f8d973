import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createMinuteCounts } from './minute-counts.ts';

/** Who asks: the connection that is named, whether there is one or not, and the address that the request came from. */
export interface Asker {
  readonly connectionId: string;
  readonly address: string;
}

export interface StrangerLimit {
  /** Before anything is read or hashed. @throws RATE_LIMITED */
  check(asker: Asker): void;
  /** What was sent proved nothing. */
  failed(asker: Asker): void;
  /** What was sent was genuine. */
  proved(asker: Asker): void;
}

/** Failed proofs in a minute. A git host that was given the wrong secret stays far below, unless it pushes all the time. */
export const FAILURES_PER_MINUTE = { pair: 500, address: 1_000, connection: 1_000 } as const;

/** Addresses that proved themselves for a connection since this process began; of more, the last ones. */
const MOST_KNOWN = 10_000;

/**
 * Bounds what strangers cost. As for logins, only failures count: however many genuine deliveries come at once, none of them is
 * refused. Failures count for the address, for the connection, and for both together. An address that proved itself for the
 * connection is bound by the last count alone, so strangers elsewhere, and those at the same git host who aim at other
 * connections, shut nobody out. Requests that are under way when a limit is reached end as they would have.
 */
export function createStrangerLimit(now: Clock): StrangerLimit {
  const [pairs, addresses, connections] = [createMinuteCounts(now), createMinuteCounts(now), createMinuteCounts(now)];
  const known = new LRUCache<string, true>({ max: MOST_KNOWN });
  const isOver = ({ connectionId, address }: Asker): boolean => {
    const pair = pairOf({ connectionId, address });
    if (pairs.of(pair) >= FAILURES_PER_MINUTE.pair) return true;
    if (known.get(pair) === true) return false;
    return (
      addresses.of(address) >= FAILURES_PER_MINUTE.address ||
      connections.of(connectionId) >= FAILURES_PER_MINUTE.connection
    );
  };
  return {
    check(asker) {
      if (!isOver(asker)) return;
      const message = 'Too many deliveries that nothing proves genuine; try again in a minute';
      throw new FairleadError('RATE_LIMITED', message, { retryable: true, details: { retryAfterSeconds: 60 } });
    },
    failed(asker) {
      pairs.add(pairOf(asker));
      addresses.add(asker.address);
      connections.add(asker.connectionId);
    },
    proved(asker) {
      known.set(pairOf(asker), true);
    },
  };
}

function pairOf({ connectionId, address }: Asker): string {
  return `${connectionId} ${address}`;
}
