import { ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { isErrorCode } from '../../../domain/errors.ts';

/** Why work failed, for people: only messages of domain errors are written for them. */
export function reasonOf(error: unknown): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) return cause.message;
    if (cause instanceof TimeoutFailure && !(cause.cause instanceof ApplicationFailure)) {
      return 'no worker did it in time';
    }
  }
  return 'unexpected error; see the log of the worker';
}
