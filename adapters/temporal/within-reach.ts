import type { Client } from '@temporalio/client';
import { FairleadError } from '../../domain/errors.ts';
import { isOfConnection } from './answered.ts';

const ANSWER_WITHIN_MS = 10_000;

/**
 * A short call of the API to Temporal.
 * @param what that cannot be reached, as the message names it: `Verifications in the background`
 * @throws UNAVAILABLE (retryable) when Temporal does not answer; else what the call throws
 */
export async function withinReach<T>(client: Client, what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, call);
  } catch (cause) {
    if (!isOfConnection(cause)) throw cause;
    const message = `${what} cannot be reached; try again shortly`;
    throw new FairleadError('UNAVAILABLE', message, { cause, retryable: true });
  }
}
