import { FairleadError } from '../../domain/errors.ts';
import type { GuardedFetch } from '../http-fetch/guarded-fetch.ts';

/**
 * Calls the address at which something outside waits for the uptime monitor. Whoever knows it can call it: no message has more
 * of it than its host. @throws UNAVAILABLE (retryable) when it did not take it; SOURCE_REFUSED
 */
export function createDeadManPing(url: string, fetch: GuardedFetch): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    const { status } = await fetch({ method: 'GET', url, headers: {}, signal, readsBody: false });
    if (status >= 200 && status < 300) return;
    const message = `${new URL(url).host} answered ${status}: is MONITOR_DEAD_MAN_URL right?`;
    throw new FairleadError('UNAVAILABLE', message, { retryable: true });
  };
}
