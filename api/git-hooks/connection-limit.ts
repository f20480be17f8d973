import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';

const MINUTE_MS = 60_000;
const MOST_CONNECTIONS = 10_000;

/**
 * Counts genuine deliveries of each connection. What is not genuine is not counted, so no stranger uses up what belongs to
 * the git host, at whose address others may be too.
 * @throws RATE_LIMITED
 */
export function createConnectionLimit(perMinute: number, now: Clock): (connectionId: string) => void {
  const counted = new LRUCache<string, { since: number; count: number }>({ max: MOST_CONNECTIONS });
  return (connectionId) => {
    const at = now().getTime();
    let window = counted.get(connectionId);
    if (window === undefined || at - window.since >= MINUTE_MS) {
      window = { since: at, count: 0 };
      counted.set(connectionId, window);
    }
    window.count += 1;
    if (window.count <= perMinute) return;
    const message = `More than ${perMinute} deliveries of this connection in a minute; the last ones are looked at`;
    throw new FairleadError('RATE_LIMITED', message, { retryable: true });
  };
}
