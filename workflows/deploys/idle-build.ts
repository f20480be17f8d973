import { CancellationScope, getExternalWorkflowHandle } from '@temporalio/workflow';
import type { BuildFailure, BuildRequest, FailureReason, PlannedStep } from '../../domain/deploys/build.ts';
import type { PausedBuild, ResumedBuild, WaitingView } from '../../domain/deploys/build-wait.ts';
import { buildWorkflowId, WAIT_REQUESTED, type WaitRequested } from '../../domain/deploys/messages.ts';
import { reliable } from './activity-proxies.ts';

/** Builds that no workflow of their own runs: those that wait for their turn, or for a decision. */

/** What a build's record has to run; null when a worker of version 0.1 opened the build. */
export type BuildPlan = readonly PlannedStep[] | null;

export interface OpenBuild {
  readonly request: BuildRequest;
  readonly plan: BuildPlan;
  /** What it found before it waited for a decision; absent in one that begins. */
  readonly resumed?: ResumedBuild;
}

export function resume(paused: PausedBuild): OpenBuild {
  const { request, plan, again, facts, attempts, waits, since, until, failure } = paused;
  const counted = waits === undefined ? { attempts } : { attempts, waits };
  const resumed = { ...{ facts, since, until, step: failure.step ?? '' }, ...counted };
  if (again === undefined) return { request, plan, resumed };
  const attemptsOf = Object.fromEntries(again.map(({ step, attempts: made }) => [step.key, made]));
  return { request, plan: [...again.map(({ step }) => step), ...plan], resumed: { ...resumed, again: attemptsOf } };
}

export function waitingView(paused: PausedBuild | null): WaitingView | null {
  if (paused === null) return null;
  const { request, since, until, failure } = paused;
  return { buildId: request.buildId, since, until, step: failure.step ?? '', reason: failure.message };
}

/** The request of one that waits for its turn, once somebody attached to it who waits for grants. */
export function askedToWait<B extends { readonly request: BuildRequest }>(build: B, seconds: number): B {
  const { request } = build;
  const waitForGrantsSeconds = Math.max(request.waitForGrantsSeconds ?? 0, seconds);
  return { ...build, request: { ...request, waitForGrantsSeconds } };
}

/** One that waits already, once somebody attached to it who waits longer. */
export function pausedLonger(paused: PausedBuild, seconds: number): PausedBuild {
  const until = Math.max(Date.parse(paused.until), Date.now() + seconds * 1000);
  return { ...paused, until: new Date(until).toISOString() };
}

/** Tells the workflow of a build that somebody attached to it who waits for grants. False when it has just ended. */
export async function tellToWait(buildId: string, seconds: number): Promise<boolean> {
  const message: WaitRequested = { seconds };
  try {
    await getExternalWorkflowHandle(buildWorkflowId(buildId)).signal(WAIT_REQUESTED, message);
    return true;
  } catch {
    return false;
  }
}

interface IdleEnd {
  readonly reason: FailureReason;
  readonly failure: BuildFailure;
  readonly supersededBy: string | null;
}

/** Writes the terminal record of a build that does not write its own. */
export async function finishIdle(build: BuildRequest, end: IdleEnd): Promise<void> {
  await CancellationScope.nonCancellable(() =>
    reliable('Write the terminal record').finishBuild({ build, status: 'failed', ...end }),
  );
}

/** The same of one whose end was decided from outside. */
export async function endIdle(
  build: OpenBuild | PausedBuild,
  reason: Exclude<FailureReason, 'step_failed'>,
  supersededBy: string | null,
): Promise<void> {
  const paused = 'failure' in build ? build : null;
  const when = paused === null ? 'before it started' : 'while it waited for a decision';
  const message = endMessage(reason, when, supersededBy);
  const failure = { code: END_CODES[reason], message, step: paused?.failure.step ?? null };
  await finishIdle(build.request, { reason, failure, supersededBy });
}

const END_CODES = {
  superseded: 'BUILD_SUPERSEDED',
  cancelled: 'BUILD_CANCELLED',
  abandoned: 'BUILD_ABANDONED',
} as const satisfies Record<Exclude<FailureReason, 'step_failed'>, string>;

function endMessage(reason: FailureReason, when: string, supersededBy: string | null): string {
  if (reason === 'superseded') return `Superseded by ${supersededBy} ${when}.`;
  if (reason === 'cancelled') return `Cancelled ${when}.`;
  return 'The build’s workflow ended without a result: it was terminated or could not start. Trigger it again.';
}
