import { FairleadError, isRetryable } from '../../domain/errors.ts';

/** After a receiver did not take a notice; twice as long each time. */
const RETRY_SECONDS = { first: 5, most: 3_600 } as const;

/** Why an attempt failed, as it is noted with its delivery. */
export function problemOf(error: unknown): string {
  return error instanceof FairleadError ? error.message : 'Unexpected error; see the log of the worker';
}

/** Whether an error says when to try again: it waits for its turn, and nothing has failed. */
export function isWaiting(error: unknown): boolean {
  if (!isRetryable(error) || typeof error.details !== 'object' || error.details === null) return false;
  return 'retryAfterSeconds' in error.details;
}

/** The same error with when to try again: by the attempts that were made, for how long one waited for its turn says nothing. */
export function inTime(error: unknown, attempts: number): unknown {
  if (!isRetryable(error)) return error;
  return againIn(error, Math.min(RETRY_SECONDS.first * 2 ** (attempts - 1), RETRY_SECONDS.most));
}

/** The same error, that says to try again after so many seconds. */
export function againIn({ code, message, cause }: FairleadError, retryAfterSeconds: number): FairleadError {
  return new FairleadError(code, message, { retryable: true, details: { retryAfterSeconds }, cause });
}
