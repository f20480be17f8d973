import type { BuildRequest } from '../../domain/deploys/build.ts';
import type { DeployTarget } from '../../domain/deploys/build-store.ts';
import type { DecisionInput } from '../../domain/deploys/build-wait.ts';
import type { SlotRequested } from '../../domain/deploys/messages.ts';
import { buildWorkflowId } from '../../domain/deploys/messages.ts';
import type { RestartRequest } from '../../domain/deploys/restart.ts';
import { ACTING_STEPS, type StepActivity } from '../../domain/deploys/steps.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import { cleanUpAfterBuild } from './clean-up.ts';
import type { DeploysDeps } from './deps.ts';
import { type FailedOpen, failOpen } from './fail-open.ts';
import { type FinishBuildInput, finishBuild } from './finish-build.ts';
import { pruneWhenDiskIsLow } from './free-disk.ts';
import { noteAttached, openBuild, readSourceProgress } from './open-build.ts';
import { openRestart } from './open-restart.ts';
import { type PauseInput, pauseBuild } from './pause-build.ts';
import { pruneImages } from './prune-images.ts';
import { readGrantDecisions } from './read-grant-decisions.ts';
import { reconcileBuilds } from './reconcile-builds.ts';
import { reconcileWorkloads } from './reconcile-workloads.ts';
import { type RemoveTargetInput, removeService, removeTarget } from './remove-service.ts';
import { type RepairInput, repairTarget } from './repair-target.ts';
import { type HeadInput, resolveHead } from './resolve-head.ts';
import { restorePrevious } from './restore-previous.ts';
import { runStep, type StepInput, type StepResult } from './step.ts';
import { loadStepWork } from './step-work.ts';
import { keepUntested, type NoResultInput } from './steps/run-gated-tests.ts';
import { restoreUserAccess } from './user-access.ts';

/**
 * The activities of the deploy workflows.
 *
 * - Keying: one workflow a build (`build/<id>`), one coordinator a service and environment (`deploys/<service>/<env>`)
 *   that decides order and deduplication, one keeper of slots (`build-slots`).
 * - Retries: each step as its definition says; records, undos and clean-up for as long as a database may be away.
 *   Every activity may run twice: each says in its docstring why that changes nothing.
 * - Order: what acts on a service and environment (a build that installs, a repair, a removal) takes an epoch, one after
 *   the other as the coordinator says; writes with an older epoch are refused (`domain/deploys/epoch.ts`).
 * - Compensation: a step's undo is registered before its effect and runs, last first, when a later step fails. Its own
 *   failure becomes part of the build's report. The terminal record is written whatever happens; `reconcileBuilds`
 *   and `reconcileWorkloads` compare records with workflows and workloads every minute.
 */
export function createDeploysActivities(deps: DeploysDeps) {
  return {
    ...createStepActivities(deps),
    openBuild: (request: BuildRequest) => openBuild(deps, request),
    openRestart: (request: RestartRequest) => openRestart(deps, request),
    noteAttached: (input: { buildId: string; request: BuildRequest }) => noteAttached(deps, input),
    readSourceProgress: (buildId: string) => readSourceProgress(deps, buildId),
    pauseBuild: (input: PauseInput) => whileHeartbeating(() => pauseBuild(deps, input)),
    readGrantDecisions: (input: DecisionInput) =>
      whileHeartbeating((signal) => readGrantDecisions(deps, input, signal)),
    requestSlot: (request: Omit<SlotRequested, 'limit'>) =>
      deps.workflows.requestSlot({ ...request, limit: deps.settings.buildConcurrency }),
    resolveHead: (input: HeadInput) => whileHeartbeating((signal) => resolveHead(deps, input, signal)),
    failOpen: (input: FailedOpen) => whileHeartbeating(() => failOpen(deps, input)),
    finishBuild: (input: FinishBuildInput) => whileHeartbeating(() => finishBuild(deps, input)),
    keepUntested: (input: NoResultInput) => whileHeartbeating(() => keepUntested(deps, input)),
    restoreUserAccess: (build: BuildRequest) => whileHeartbeating((signal) => restoreUserAccess(deps, build, signal)),
    restorePrevious: (build: BuildRequest) => whileHeartbeating((signal) => restorePrevious(deps, build, signal)),
    cleanUpAfterBuild: (build: BuildRequest) => whileHeartbeating((signal) => cleanUpAfterBuild(deps, build, signal)),
    removeService: (service: { id: string; name: string }) => whileHeartbeating(() => removeService(deps, service)),
    takeEpoch: (target: DeployTarget) => deps.epochs.next(target),
    repairTarget: (input: RepairInput) => whileHeartbeating((signal) => repairTarget(deps, input, signal)),
    removeTarget: (input: RemoveTargetInput) => whileHeartbeating(() => removeTarget(deps, input)),
    pruneImages: () => whileHeartbeating((signal) => pruneImages(deps, signal)),
    pruneWhenDiskIsLow: () => whileHeartbeating(() => pruneWhenDiskIsLow(deps)),
    reconcileBuilds: () => whileHeartbeating((signal) => reconcileBuilds(deps, signal)),
    reconcileWorkloads: () => whileHeartbeating((signal) => reconcileWorkloads(deps, signal)),
    listClosedBuilds: (buildIds: readonly string[]) => listClosedBuilds(deps, buildIds),
  };
}

export type DeploysActivities = ReturnType<typeof createDeploysActivities>;

type StepActivities = Record<StepActivity, (input: StepInput) => Promise<StepResult>>;

const STEP_WORK = await Promise.all(ACTING_STEPS.map(async (step) => [step, await loadStepWork(step)] as const));

function createStepActivities(deps: DeploysDeps): StepActivities {
  const activities = STEP_WORK.map(([definition, work]) => {
    const activity = (input: StepInput) => runStep(deps, definition, input, (context) => work(deps, context));
    return [definition.run.activity, activity] as const;
  });
  return Object.fromEntries(activities) as StepActivities;
}

async function listClosedBuilds(deps: DeploysDeps, buildIds: readonly string[]): Promise<string[]> {
  const closed: string[] = [];
  for (const buildId of buildIds) {
    if (!(await deps.workflows.isRunning(buildWorkflowId(buildId)))) closed.push(buildId);
  }
  return closed;
}
