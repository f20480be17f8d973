import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createMinuteCounts } from './minute-counts.ts';

/**
 * Counts genuine deliveries of each connection. What is not genuine is not counted, so no stranger uses up what belongs to
 * the git host, at whose address others may be too.
 * @throws RATE_LIMITED
 */
export function createConnectionLimit(perMinute: number, now: Clock): (connectionId: string) => void {
  const genuine = createMinuteCounts(now);
  return (connectionId) => {
    if (genuine.add(connectionId) <= perMinute) return;
    const message = `More than ${perMinute} deliveries of this connection in a minute; the last ones are looked at`;
    throw new FairleadError('RATE_LIMITED', message, { retryable: true });
  };
}
