import {
  type Client,
  isGrpcServiceError,
  WorkflowFailedError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { FairleadError, isErrorCode } from '../../domain/errors.ts';

const ANSWER_WITHIN_MS = 25_000;

/**
 * A call that a workflow answers, such as an update.
 * @param needed what a worker has to have for it, where not every worker has: told when none answers
 * @throws the domain error of the workflow or its activity; UNAVAILABLE (retryable) when no worker answers in time
 */
export async function answered<T>(client: Client, call: () => Promise<T>, needed?: string): Promise<T> {
  try {
    return await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, call);
  } catch (error) {
    throw toDomainError(error, needed);
  }
}

/** What a workflow or its activity threw, as the domain error it was. */
export function toDomainError(error: unknown, needed?: string): unknown {
  if (error instanceof FairleadError) return error;
  if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowFailedError) {
    return domainErrorOf(error) ?? error;
  }
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isOfConnection(error)) {
    const message = 'No worker answered in time. An accepted request is not lost: try again in a moment.';
    const told = needed === undefined ? message : `${message} A worker needs ${needed} for it.`;
    return new FairleadError('UNAVAILABLE', told, { cause: error, retryable: true });
  }
  return error;
}

/** Whether the connection to Temporal failed, or its deadline passed: errors of the client wrap those. */
export function isOfConnection(error: unknown): boolean {
  if (isGrpcServiceError(error)) return true;
  return error instanceof Error && error.cause !== undefined && isOfConnection(error.cause);
}

/** The domain error that an activity threw, found behind the layers that carried it here. */
function domainErrorOf(error: Error): FairleadError | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
      return new FairleadError(cause.type, cause.message, { details: cause.details?.[0], cause: error });
    }
  }
  return null;
}
