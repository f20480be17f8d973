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
import { isReinstall } from '../../domain/deploys/build-kind.ts';
import { roundOfRun } from '../../domain/deploys/build-slots.ts';
import type { PausedBuild, ResumedBuild } from '../../domain/deploys/build-wait.ts';
import type { BuildFacts } from '../../domain/deploys/facts.ts';
import {
  BUILD_SUPERSEDED,
  type BuildOutcome,
  type BuildSuperseded,
  SLOT_GRANTED,
  WAIT_REQUESTED,
  type WaitRequested,
} from '../../domain/deploys/messages.ts';
import type { StepRun } from '../../domain/deploys/step-run.ts';
import { noResultActivity, reliable, requestSlot, stepActivity } from './activity-proxies.ts';
import { derivePlan, deriveRest } from './derived-plan.ts';
import { describeFailure, failsOpen } from './failure.ts';
import { showProgress } from './progress.ts';
import { isPaused, pauseAfter } from './step-wait.ts';
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
 * - Where its request says so, a build waits for the decision that a step wants (`step-wait.ts`): this run ends then, so
 *   that slot and coordinator are free, and the coordinator starts another one once somebody decided.
 *
 * @param plan what the record has to run; absent when a worker of version 0.1 opened the build
 * @param resumed what an earlier run of the build found that waited; absent in the first one
 */
export async function runBuild(
  request: BuildRequest,
  plan?: readonly PlannedStep[] | null,
  resumed?: ResumedBuild,
): Promise<BuildOutcome> {
  const recorded = patched('recorded-plan') ? (plan ?? null) : null;
  const build = createBuildState(request, recorded, resumed ?? null);
  const work = new CancellationScope();

  setHandler(defineSignal<[BuildSuperseded]>(BUILD_SUPERSEDED), ({ by }) => {
    if (!build.supersedable || build.supersededBy !== null) return;
    build.supersededBy = by;
    work.cancel();
  });
  setHandler(defineSignal<[WaitRequested]>(WAIT_REQUESTED), ({ seconds }) => {
    build.attachedUntil = Math.max(build.attachedUntil, Date.now() + seconds * 1000);
  });

  let failure: BuildFailure | null = null;
  let stopped = false;
  try {
    const ended = await work.run(async () => {
      await takeSlot(build);
      return await runSteps(build);
    });
    if (ended !== null && isPaused(ended)) {
      // Called off in the moment in which it began to wait: nobody would end it any more.
      stopped = work.consideredCancelled && patched('end-when-called-off');
      if (!stopped) return waiting(build, ended);
      failure = stopFailure(build);
    } else failure = ended;
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
  /** Until when those who attached to it wait for grants, in milliseconds; 0 when none does. */
  attachedUntil: number;
  /** The wait after which this run goes on; null for the first run. */
  readonly resumed: ResumedBuild | null;
}

function createBuildState(
  request: BuildRequest,
  recorded: readonly PlannedStep[] | null,
  resumed: ResumedBuild | null,
): BuildState {
  return {
    request,
    isRecorded: recorded !== null,
    plan: recorded ?? derivePlan(request),
    facts: resumed?.facts ?? request.resume?.facts ?? {},
    step: null,
    supersededBy: null,
    supersedable: true,
    undos: createUndoStack(request),
    attachedUntil: 0,
    resumed,
  };
}

/** Waits for one of the BUILD_CONCURRENCY slots. A rollback or restart builds nothing and needs none. */
async function takeSlot(build: BuildState): Promise<void> {
  if (isReinstall(build.request.kind)) return;
  let granted = false;
  setHandler(defineSignal(SLOT_GRANTED), () => {
    granted = true;
  });
  showProgress(build.request, 'queued', 'waiting for a build slot');
  const { buildId, environment, org } = build.request;
  const round = build.resumed === null ? {} : { round: roundOfRun(build.resumed) };
  const { workflowId } = workflowInfo();
  const atOnce = await requestSlot({ buildId, environment, org, workflowId, ...round });
  if (!atOnce) await condition(() => granted);
}

/** @returns null when all steps have run; else what waits for a decision, or why the build ends */
async function runSteps(build: BuildState): Promise<PausedBuild | BuildFailure | null> {
  for (;;) {
    const [step, ...rest] = build.plan;
    build.step = step ?? null;
    if (step === undefined) return null;
    build.plan = rest;
    const failure = step.run === null ? null : await runStep(build, step, step.run);
    if (failure === null) continue;
    const { request, facts, resumed: earlier } = build;
    const attachedUntil = () => build.attachedUntil;
    return await pauseAfter({ request, facts, step, rest, failure, attachedUntil, earlier });
  }
}

/** @returns the failure when the build cannot go on */
async function runStep(build: BuildState, step: PlannedStep, run: StepRun): Promise<BuildFailure | null> {
  const { request, resumed } = build;
  showProgress(request, step.stage, step.title);
  build.supersedable &&= run.supersedable;
  if (run.undo !== null) build.undos.push(step, run.undo);
  const before = step.key === resumed?.step ? resumed.attempts : resumed?.again?.[step.key];
  const attempts = before === undefined ? {} : { attempts: before };
  const perform = () => stepActivity(step, run)({ build: request, facts: build.facts, ...attempts });
  try {
    const result = run.cancellable ? await perform() : await CancellationScope.nonCancellable(perform);
    takeOver(build, step, result);
    build.undos.makePermanent(step);
  } catch (error) {
    if (isCancellation(error)) throw error;
    const failure = describeFailure(error, step);
    if (!failsOpen(failure, run.failOpen)) return await withoutResult(build, { step, run, failure });
    await reliable('Record that the step failed').failOpen({ build: request, step, failure });
  }
  return null;
}

/** What a step without a result leaves behind is decided by its own row; where that cannot be done, the undo decides. */
async function withoutResult(
  { request, facts }: BuildState,
  { step, run, failure }: { readonly step: PlannedStep; readonly run: StepRun; readonly failure: BuildFailure },
): Promise<BuildFailure> {
  if (run.noResult === undefined || !run.noResult.codes.some((code) => code === failure.code)) return failure;
  try {
    return await noResultActivity(step, run.noResult)({ build: request, facts, failure });
  } catch (error) {
    if (isCancellation(error)) throw error;
    return failure;
  }
}

function waiting({ request }: BuildState, paused: PausedBuild): BuildOutcome {
  const [step] = paused.plan;
  if (step !== undefined) showProgress(request, step.stage, `waits until ${paused.until}: ${paused.failure.message}`);
  return { buildId: request.buildId, status: 'waiting', reason: null, failure: null, paused };
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
