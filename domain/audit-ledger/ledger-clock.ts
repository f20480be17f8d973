import type { Clock } from '../clock.ts';
import { FairleadError } from '../errors.ts';

/** How far the clock of a process may be from the database's. */
const BOUND_MS = 60_000;

/**
 * The time of events: the database's, and none while the clock of this process says something else by more than a minute.
 * One of the two is wrong then, and a chain would keep a time ahead for good: no later event may be dated before it.
 * @returns a clock that throws UNAVAILABLE (retryable) when the two differ
 */
export function createLedgerClock({ database, own }: { readonly database: Clock; readonly own: Clock }): Clock {
  return () => {
    const time = database();
    const aheadMs = own().getTime() - time.getTime();
    if (Math.abs(aheadMs) <= BOUND_MS) return time;
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    const message = `The clock of this process is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`;
    throw new FairleadError('UNAVAILABLE', `${message}: set it right; until then no event is written`, {
      details: { aheadMs },
      retryable: true,
    });
  };
}
