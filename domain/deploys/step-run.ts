import type { ErrorCode } from '../errors.ts';

/**
 * A failure that does not end the build (spec 2, "Fail-open versus hard-fail"). It applies to a failure with one of
 * the codes that names this system. One that names no system, such as our own database, counts only as a deadline, or
 * where any failure does: what is away must not open a gate that waits for something else.
 */
export interface FailOpen {
  /** The system as the errors of its client name it: `registry`, `identity-provider`, … */
  readonly system: string;
  readonly codes: readonly ErrorCode[] | 'any';
}

/** Undoes a step's effect when a later step fails. */
export interface StepUndo {
  /** Activity that takes the build request. Idempotent: also called when the effect never happened. */
  readonly activity: string;
  /** Key of the step whose success makes the effect permanent. */
  readonly until: string;
}

/**
 * A failure after which a build can wait for somebody's decision, where its request says so (`waitForGrantsSeconds`), and
 * then runs the step again.
 */
export interface StepWait {
  readonly code: ErrorCode;
  /** Activity that reads whether it is decided: takes a `DecisionInput`, answers a `Decision`. Changes nothing else. */
  readonly read: string;
}

/**
 * What is done before the build fails where a step ended without a result of its own: its workers were killed until its
 * deadline, or what it needs was away as long.
 */
export interface StepNoResult {
  readonly codes: readonly ErrorCode[];
  /** Activity that takes a `NoResultInput` and answers the failure of the build. Idempotent. */
  readonly activity: string;
}

/** How a step is carried out. The plan of a build records this, so that a later change of the table never touches it. */
export interface StepRun {
  readonly activity: string;
  /** Runs inside the workflow's own task: for work of well under a second. */
  readonly local: boolean;
  /** Longest time of one attempt. */
  readonly attemptSeconds: number;
  /** Longest time of all attempts together. */
  readonly deadlineSeconds: number;
  readonly failOpen: readonly FailOpen[];
  readonly undo: StepUndo | null;
  /** Absent: no failure of the step is waited for; also in plans of earlier versions. */
  readonly wait?: StepWait;
  /** Absent: the build fails as the step did; also in plans of earlier versions. */
  readonly noResult?: StepNoResult;
  /** False for a step that ends its work even when the build is cancelled. */
  readonly cancellable: boolean;
  /** False for a step from which on a newer build waits for this one, and does not replace it. */
  readonly supersedable: boolean;
}
