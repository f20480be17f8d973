import { ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import { isErrorCode } from '../domain/errors.ts';

/** Of a backup or restore that ran out of its time. */
const LATE = 'It did not end within BACKUP_DUMP_TIMEOUT_MS, or no worker was there to go on with it';

/**
 * Why work failed, as its record says it: only messages of domain errors are written for people.
 * @param late what is said of work that ran out of its time
 */
export function describeProblem(error: unknown, late = LATE): { readonly code: string; readonly message: string } {
  if (isCancellation(error)) return { code: 'CANCELLED', message: 'It was cancelled' };
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
      return { code: cause.type, message: cause.message };
    }
    if (cause instanceof TimeoutFailure && !(cause.cause instanceof ApplicationFailure)) {
      return { code: 'STEP_DEADLINE_EXCEEDED', message: late };
    }
  }
  return { code: 'INTERNAL', message: 'Unexpected error; see the log of the worker' };
}
