import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure, TimeoutFailure } from '@temporalio/workflow';
import type { BuildFailure, PlannedStep } from '../../domain/deploys/build.ts';
import type { FailOpen } from '../../domain/deploys/step-run.ts';
import { isErrorCode } from '../../domain/errors.ts';

/** Any other message may hold what a program had in hand, and is for operators; the platform's log has it. */
const UNKNOWN_FAULT = 'Unexpected error; see the log of the worker.';

/** Says in a build's own terms why a step failed: the domain error of the activity, its deadline, or an unknown fault. */
export function describeFailure(error: unknown, step: PlannedStep | null): BuildFailure {
  const key = step?.key ?? null;
  const application = findApplicationFailure(error);
  if (application !== null) {
    const [details, origin] = application.details ?? [];
    const system = systemOf(origin);
    const { type, message } = application;
    return {
      ...(isErrorCode(type) ? { code: type, message } : { code: 'INTERNAL', message: UNKNOWN_FAULT }),
      step: key,
      ...(details === undefined || details === null ? {} : { details }),
      ...(system === null ? {} : { system }),
    };
  }
  if (step !== null && isTimeout(error)) {
    const message = `${step.title} did not finish within its deadline of ${step.run?.deadlineSeconds} seconds. Retry the build, or look at the worker.`;
    return { code: 'STEP_DEADLINE_EXCEEDED', message, step: key };
  }
  return { code: 'INTERNAL', message: UNKNOWN_FAULT, step: key };
}

/** True when the contract lets a build go on after this failure. */
export function failsOpen(failure: BuildFailure, allowed: readonly FailOpen[]): boolean {
  return allowed.some((row) => {
    const { code, system } = failure;
    if (row.codes === 'any') return system === undefined || system === row.system;
    return row.codes.some((one) => one === code) && (system === row.system || isUnnamedDeadline(failure));
  });
}

/** A deadline ends a step from outside, where nobody knows what it waited for. */
function isUnnamedDeadline({ code, system }: BuildFailure): boolean {
  return code === 'STEP_DEADLINE_EXCEEDED' && system === undefined;
}

/** The system that an activity's error named; see adapters/temporal/activity-interceptor.ts. */
function systemOf(origin: unknown): string | null {
  if (typeof origin !== 'object' || origin === null || !('system' in origin)) return null;
  return typeof origin.system === 'string' ? origin.system : null;
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
