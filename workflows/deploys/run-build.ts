import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { StepResult } from '../../activities/deploys/step.ts';
import type { BuildFailure, BuildRequest, FailureReason, PlannedStep } from '../../domain/deploys/build.ts';
import type { BuildFacts } from '../../domain/deploys/facts.ts';
import {
  BUILD_SUPERSEDED,
  type BuildOutcome,
  type BuildSuperseded,
  SLOT_GRANTED,
} from '../../domain/deploys/messages.ts';
import type { StepRun } from '../../domain/deploys/step-run.ts';
import { local, reliable, stepActivity } from './activity-proxies.ts';
import { derivePlan, deriveRest } from './derived-plan.ts';
import { describeFailure, failsOpen } from './failure.ts';
import { showProgress } from './progress.ts';
import { createUndoStack, type UndoStack } from './undo-stack.ts';

/**
 * One build from queued to completed or failed; id `build/<id>`, started by the coordinator of its service and
 * environment.
 *
 * - The plan is data: the steps that were recorded on the build run in order, each as its row says. Activities record
 *   when they start and end; this workflow writes the terminal record, in a scope that cannot be cancelled.
 * - Until a step that is not supersedable begins, a newer build replaces this one (signal `buildSuperseded`).
 * - A failure or cancellation undoes the effects that are not permanent yet, last first. What cannot be undone is told
 *   in the record, which is written in any case.
 *
 * @param plan what the record has to run; absent when a worker of version 0.1 opened the build
 */
export async function runBuild(request: BuildRequest, plan?: readonly PlannedStep[] | null): Promise<BuildOutcome> {
  const recorded = patched('recorded-plan') ? (plan ?? null) : null;
  const build = createBuildState(request, recorded);
  const work = new CancellationScope();

  setHandler(defineSignal<[BuildSuperseded]>(BUILD_SUPERSEDED), ({ by }) => {
    if (!build.supersedable || build.supersededBy !== null) return;
    build.supersededBy = by;
    work.cancel();
  });

  let failure: BuildFailure | null = null;
  let stopped = false;
  try {
    await work.run(async () => {
      await takeSlot(build);
      await runSteps(build);
    });
  } catch (error) {
    stopped = isCancellation(error);
    failure = stopped ? stopFailure(build) : describeFailure(error, build.step);
  }
  return await CancellationScope.nonCancellable(() => finish(build, failure, stopped));
}

interface BuildState {
  readonly request: BuildRequest;
  /** False for a build of version 0.1: its plan is derived here, as it was when the build began. */
  readonly isRecorded: boolean;
  /** What is left to run. */
  plan: readonly PlannedStep[];
  facts: BuildFacts;
  /** The step that runs now. */
  step: PlannedStep | null;
  supersededBy: string | null;
  supersedable: boolean;
  readonly undos: UndoStack;
}

function createBuildState(request: BuildRequest, recorded: readonly PlannedStep[] | null): BuildState {
  return {
    request,
    isRecorded: recorded !== null,
    plan: recorded ?? derivePlan(request),
    facts: request.resume?.facts ?? {},
    step: null,
    supersededBy: null,
    supersedable: true,
    undos: createUndoStack(request),
  };
}

/** Waits for one of the BUILD_CONCURRENCY slots. A rollback builds nothing and needs none. */
async function takeSlot(build: BuildState): Promise<void> {
  if (build.request.kind === 'rollback') return;
  let granted = false;
  setHandler(defineSignal(SLOT_GRANTED), () => {
    granted = true;
  });
  showProgress(build.request, 'queued', 'waiting for a build slot');
  const { buildId, environment, org } = build.request;
  const atOnce = await local.requestSlot({ buildId, environment, org, workflowId: workflowInfo().workflowId });
  if (!atOnce) await condition(() => granted);
}

async function runSteps(build: BuildState): Promise<void> {
  for (;;) {
    const [step, ...rest] = build.plan;
    build.step = step ?? null;
    if (step === undefined) return;
    build.plan = rest;
    if (step.run !== null) await runStep(build, step, step.run);
  }
}

async function runStep(build: BuildState, step: PlannedStep, run: StepRun): Promise<void> {
  const { request } = build;
  showProgress(request, step.stage, step.title);
  build.supersedable &&= run.supersedable;
  if (run.undo !== null) build.undos.push(step, run.undo);
  const perform = () => stepActivity(step, run)({ build: request, facts: build.facts });
  try {
    const result = run.cancellable ? await perform() : await CancellationScope.nonCancellable(perform);
    takeOver(build, step, result);
    build.undos.makePermanent(step);
  } catch (error) {
    const failure = isCancellation(error) ? null : describeFailure(error, step);
    if (failure === null || !failsOpen(failure, run.failOpen)) throw error;
    await reliable('Record that the step failed').failOpen({ build: request, step, failure });
  }
}

function takeOver(build: BuildState, step: PlannedStep, { facts, plan }: StepResult): void {
  build.facts = { ...build.facts, ...facts };
  if (!build.isRecorded) build.plan = deriveRest(build.request, build.facts, step);
  else if (plan !== undefined) build.plan = plan;
}

async function finish(build: BuildState, failure: BuildFailure | null, stopped: boolean): Promise<BuildOutcome> {
  const { request } = build;
  const undoFailures = failure === null ? [] : await build.undos.run();
  const reason = failure === null ? null : endReason(build, stopped);
  const status = failure === null ? 'completed' : 'failed';
  showProgress(request, status, failure?.message ?? 'answers at its public address');
  await reliable('Write the terminal record').finishBuild({
    build: request,
    status,
    reason,
    failure,
    supersededBy: build.supersededBy,
    undoFailures,
  });
  return { buildId: request.buildId, status, reason, failure };
}

function endReason(build: BuildState, stopped: boolean): FailureReason {
  if (!stopped) return 'step_failed';
  return build.supersededBy === null ? 'cancelled' : 'superseded';
}

function stopFailure({ supersededBy, step }: BuildState): BuildFailure {
  const key = step?.key ?? null;
  return supersededBy === null
    ? { code: 'BUILD_CANCELLED', message: 'The build was cancelled.', step: key }
    : { code: 'BUILD_SUPERSEDED', message: `Superseded by ${supersededBy}, which builds something newer.`, step: key };
}
