import { ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import { isErrorCode } from '../../domain/errors.ts';
import type { PropertyError } from '../../domain/properties/property.ts';

/** What a step failed with, as a Property keeps it. @throws the error itself when it is a cancellation */
export function describeFailure(error: unknown): PropertyError {
  if (isCancellation(error)) throw error;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
      return { source: systemOf(cause), code: cause.type, message: cause.message };
    }
    if (cause instanceof TimeoutFailure && !(cause.cause instanceof ApplicationFailure)) {
      return { source: 'platform', code: 'STEP_DEADLINE_EXCEEDED', message: 'No worker ended this step in time' };
    }
  }
  return { source: 'platform', code: 'INTERNAL', message: 'Unexpected error; see the log of the worker' };
}

/** The details of an error begin with its own, and then name the system that it came from. */
function systemOf({ details }: ApplicationFailure): string {
  const [, from] = details ?? [];
  const isNamed = typeof from === 'object' && from !== null && 'system' in from;
  return isNamed ? String(from.system) : 'platform';
}
