import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { FairleadError } from '../../domain/errors.ts';
import { assertPayloadSize } from './payload-size.ts';

/** Mistakes in the program do not pass by trying again. */
const PROGRAM_ERRORS = [TypeError, RangeError, ReferenceError, SyntaxError] as const;

/**
 * Turns errors of activities into what Temporal acts on: a domain error becomes a failure whose type is its code, not
 * retried unless it says so; a mistake in the program is not retried; anything else is.
 */
export function createActivityInterceptor(): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      try {
        const result = await next(input);
        assertPayloadSize(result, 'the result of an activity');
        return result;
      } catch (error) {
        throw toFailure(error);
      }
    },
  };
}

function toFailure(error: unknown): unknown {
  if (error instanceof FairleadError) {
    return ApplicationFailure.create({
      message: error.message,
      type: error.code,
      nonRetryable: !error.retryable,
      details: detailsOf(error),
    });
  }
  if (PROGRAM_ERRORS.some((type) => error instanceof type)) {
    const cause = error as Error;
    // The message comes to people in the record of a build; the stack is for operators, in the history.
    return ApplicationFailure.create({ message: cause.message, type: 'INTERNAL', nonRetryable: true, cause });
  }
  return error;
}

/** The error's own details first, then the system it came from, which decides whether a build goes on without it. */
function detailsOf({ details, system }: FairleadError): unknown[] {
  if (system !== undefined) return [details ?? null, { system }];
  return details === undefined ? [] : [details];
}
