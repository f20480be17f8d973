import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { BuildFacts, BuildFailure, BuildRequest, FailureReason } from '../../domain/deploys/build.ts';
import {
  BUILD_SUPERSEDED,
  type BuildOutcome,
  type BuildSuperseded,
  SLOT_GRANTED,
} from '../../domain/deploys/messages.ts';
import { planDeploy } from '../../domain/deploys/plan.ts';
import { type StepKey, stepDefinition } from '../../domain/deploys/steps.ts';
import { local, reliable, stepActivities } from './activity-proxies.ts';
import { describeFailure } from './failure.ts';
import { showProgress } from './progress.ts';

/**
 * One build from queued to completed or failed; id `build/<id>`, started by the coordinator of its service and
 * environment.
 *
 * - The plan is data: the steps of `planDeploy` run in order, each as the activity its row names. Activities record
 *   when they start and end; this workflow writes the terminal record, in a scope that cannot be cancelled.
 * - Until the workload is installed the build can be superseded by a newer one (signal `buildSuperseded`).
 * - A failure or cancellation between the installation and the health check's success puts the previous release back.
 *   After that the new release is what answers, and it stays.
 */
export async function runBuild(request: BuildRequest): Promise<BuildOutcome> {
  const build = createBuildState(request);
  const work = new CancellationScope();

  setHandler(defineSignal<[BuildSuperseded]>(BUILD_SUPERSEDED), ({ by }) => {
    if (build.pointOfNoReturn || build.supersededBy !== null) return;
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
  facts: BuildFacts;
  /** The step that runs now. */
  step: StepKey | null;
  supersededBy: string | null;
  /** True once the installation has begun: a newer build then waits instead of superseding this one. */
  pointOfNoReturn: boolean;
  /** What undoes an effect, registered before the effect. */
  undo: (() => Promise<void>) | null;
}

function createBuildState(request: BuildRequest): BuildState {
  return {
    request,
    facts: request.resume?.facts ?? {},
    step: null,
    supersededBy: null,
    pointOfNoReturn: false,
    undo: null,
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
  const { buildId, environment } = build.request;
  const atOnce = await local.requestSlot({ buildId, environment, workflowId: workflowInfo().workflowId });
  if (!atOnce) await condition(() => granted);
}

async function runSteps(build: BuildState): Promise<void> {
  const facts = {
    kind: build.request.kind,
    fromStep: build.request.resume?.fromStep ?? null,
    runtime: 'docker',
  } as const;
  let plan = planDeploy(build.facts.catalog ?? null, facts);
  for (let index = 0; index < plan.length; index += 1) {
    const step = plan[index];
    if (step === undefined || step.state !== 'pending') continue;
    build.step = step.key;
    await runStep(build, step.key);
    // The catalog decides which of the later steps apply.
    if (step.key === 'catalog') plan = planDeploy(build.facts.catalog ?? null, facts);
  }
  build.step = null;
}

async function runStep(build: BuildState, key: StepKey): Promise<void> {
  const definition = stepDefinition(key);
  const { request } = build;
  showProgress(request, definition.stage, definition.title);
  if (key === 'install') {
    build.pointOfNoReturn = true;
    build.undo = () => reliable('Return to the previous release').restorePrevious(request);
  }
  // What has been observed to answer is registered even when someone cancels at that moment.
  const run = () => stepActivities(definition)({ build: request, facts: build.facts });
  const result = key === 'service-registration' ? await CancellationScope.nonCancellable(run) : await run();
  build.facts = { ...build.facts, ...result.facts };
  if (key === 'health-check') build.undo = null;
}

async function finish(build: BuildState, failure: BuildFailure | null, stopped: boolean): Promise<BuildOutcome> {
  const { request } = build;
  if (build.undo !== null) await build.undo();
  const reason = failure === null ? null : endReason(build, stopped);
  const status = failure === null ? 'completed' : 'failed';
  showProgress(request, status, failure?.message ?? 'answers at its public address');
  await reliable('Write the terminal record').finishBuild({
    build: request,
    status,
    reason,
    failure,
    supersededBy: build.supersededBy,
  });
  return { buildId: request.buildId, status, reason, failure };
}

function endReason(build: BuildState, stopped: boolean): FailureReason {
  if (!stopped) return 'step_failed';
  return build.supersededBy === null ? 'cancelled' : 'superseded';
}

function stopFailure(build: BuildState): BuildFailure {
  return build.supersededBy === null
    ? { code: 'BUILD_CANCELLED', message: 'The build was cancelled.', step: build.step }
    : {
        code: 'BUILD_SUPERSEDED',
        message: `Superseded by ${build.supersededBy}, which builds something newer.`,
        step: build.step,
      };
}
