import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  rootCause,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { BuildFailure } from '../../domain/deploys/build.ts';
import { type StepKey, stepDefinition } from '../../domain/deploys/steps.ts';
import { isErrorCode } from '../../domain/errors.ts';

/** Says in a build's own terms why a step failed: the domain error of the activity, its deadline, or an unknown fault. */
export function describeFailure(error: unknown, step: StepKey | null): BuildFailure {
  const application = findApplicationFailure(error);
  if (application !== null) {
    const details = application.details?.[0];
    return {
      code: isErrorCode(application.type) ? application.type : 'INTERNAL',
      message: application.message,
      step,
      ...(details === undefined || details === null ? {} : { details }),
    };
  }
  if (step !== null && isTimeout(error)) {
    const { title, deadlineSeconds } = stepDefinition(step);
    const message = `${title} did not finish within its deadline of ${deadlineSeconds} seconds. Retry the build, or look at the worker.`;
    return { code: 'STEP_DEADLINE_EXCEEDED', message, step };
  }
  return { code: 'INTERNAL', message: rootCause(error) ?? 'The step failed without a reason.', step };
}

function findApplicationFailure(error: unknown): ApplicationFailure | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure) return cause;
  }
  return null;
}

function isTimeout(error: unknown): boolean {
  const failure = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure ? error.cause : error;
  return failure instanceof TimeoutFailure;
}
