import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { FairleadError } from '../../domain/errors.ts';
import { assertPayloadSize } from './payload-size.ts';

/** Writes an error, with its stack, to the platform's log. Returns the reference under which it stands there. */
export type ReportError = (error: unknown) => string;

/** Mistakes in the program do not pass by trying again. */
const PROGRAM_ERRORS = [TypeError, RangeError, ReferenceError, SyntaxError] as const;

/**
 * Turns errors of activities into what Temporal acts on: a domain error becomes a failure whose type is its code, not
 * retried unless it says so; a mistake in the program is not retried; anything else is.
 *
 * Only the message of a domain error was written for whoever reads a build or a history. Any other may hold what the
 * program had in hand, secrets included: it goes to the platform's log, and the failure names its reference there.
 */
export function createActivityInterceptor(report: ReportError): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      try {
        const result = await next(input);
        assertPayloadSize(result, 'the result of an activity');
        return result;
      } catch (error) {
        throw toFailure(error, report);
      }
    },
  };
}

function toFailure(error: unknown, report: ReportError): unknown {
  if (error instanceof TemporalFailure || isAbort(error)) return error;
  if (error instanceof FairleadError) {
    if (error.cause !== undefined) report(error.cause);
    return createFailure({
      message: error.message,
      type: error.code,
      nonRetryable: !error.retryable,
      ...retryDelay(error),
      details: detailsOf(error),
    });
  }
  return createFailure({
    message: `Unexpected error; the platform's log has it as ${report(error)}`,
    type: 'INTERNAL',
    nonRetryable: PROGRAM_ERRORS.some((type) => error instanceof type),
  });
}

/** What another system asks for is waited for instead of what the policy of the activity says. */
function retryDelay({ retryable, details }: FairleadError): { nextRetryDelay?: number } {
  if (!retryable || typeof details !== 'object' || details === null || !('retryAfterSeconds' in details)) return {};
  return { nextRetryDelay: Number(details.retryAfterSeconds) * 1000 };
}

/** What an abort signal rejects with, which the SDK takes for a cancellation. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Without a stack: it would be this function's own, in every history. */
function createFailure(options: Parameters<typeof ApplicationFailure.create>[0]): ApplicationFailure {
  const failure = ApplicationFailure.create(options);
  failure.stack = '';
  return failure;
}

/** The error's own details first, then the system it came from, which decides whether a build goes on without it. */
function detailsOf({ details, system }: FairleadError): unknown[] {
  if (system !== undefined) return [details ?? null, { system }];
  return details === undefined ? [] : [details];
}
