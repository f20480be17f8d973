import { ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import { isErrorCode } from '../../domain/errors.ts';
import type { PullProblem } from '../../domain/search-pulls/pull-run.ts';

/** Why a pull failed, as its record says it: only messages of domain errors are written for people. */
export function describeProblem(error: unknown): PullProblem {
  if (isCancellation(error)) return { code: 'CANCELLED', message: 'It was cancelled' };
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
      return { code: cause.type, message: cause.message };
    }
    if (cause instanceof TimeoutFailure && !(cause.cause instanceof ApplicationFailure)) {
      const message = 'It was not done in time: no worker was there for it, or its workers ended again and again';
      return { code: 'STEP_DEADLINE_EXCEEDED', message };
    }
  }
  return { code: 'INTERNAL', message: 'Unexpected error; see the log of the worker' };
}
