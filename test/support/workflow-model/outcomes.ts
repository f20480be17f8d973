import {
  ActivityFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  defaultFailureConverter,
  defaultPayloadConverter,
  RetryState,
  TerminatedFailure,
} from '@temporalio/common';
import type { coresdk, temporal } from '@temporalio/proto';
import { payloadsOf } from './workflow-run.ts';

type Failure = temporal.api.failure.v1.IFailure;
type Payload = temporal.api.common.v1.IPayload;

/** How an activity ended, or a workflow. */
export type Outcome =
  | { readonly kind: 'completed'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: Error }
  | { readonly kind: 'cancelled' };

/** How a workflow ended; a run that continued as new has not. */
export type Closing =
  | { readonly kind: 'completed'; readonly result: Payload | null }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'terminated' };

export function failureOf(error: unknown): Failure {
  return defaultFailureConverter.errorToFailure(error, defaultPayloadConverter);
}

/** What the workflow is told that asked for an activity. */
export function resolutionOf(outcome: Outcome, activity: { readonly type: string; readonly seq: number }) {
  const fail = (cause: Error) =>
    failureOf(
      new ActivityFailure(
        'Activity task failed',
        activity.type,
        `${activity.seq}`,
        RetryState.NON_RETRYABLE_FAILURE,
        '',
        cause,
      ),
    );
  return resultOf(outcome, fail);
}

/** What a workflow is told whose child has ended. */
export function childResolutionOf(closing: Closing, child: { readonly type: string; readonly workflowId: string }) {
  const fail = (cause: Error): Failure => {
    const execution = { workflowId: child.workflowId };
    return failureOf(
      new ChildWorkflowFailure('default', execution, child.type, RetryState.NON_RETRYABLE_FAILURE, cause),
    );
  };
  if (closing.kind === 'completed') return { completed: { result: closing.result } };
  if (closing.kind === 'cancelled') return { cancelled: { failure: fail(new CancelledFailure('cancelled')) } };
  if (closing.kind === 'terminated') return { failed: { failure: fail(new TerminatedFailure('terminated')) } };
  const cause = defaultFailureConverter.failureToError(closing.failure, defaultPayloadConverter);
  return { failed: { failure: fail(cause) } };
}

function resultOf(outcome: Outcome, fail: (cause: Error) => Failure): coresdk.activity_result.IActivityResolution {
  if (outcome.kind === 'completed') {
    const [result] = outcome.value === undefined ? [] : payloadsOf(outcome.value);
    return { completed: { result: result ?? null } };
  }
  if (outcome.kind === 'cancelled') return { cancelled: { failure: fail(new CancelledFailure('cancelled')) } };
  return { failed: { failure: fail(outcome.error) } };
}
