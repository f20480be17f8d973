import type { BuildRequest } from '../../domain/deploys/build.ts';
import type { SlotRequested } from '../../domain/deploys/messages.ts';
import { buildWorkflowId } from '../../domain/deploys/messages.ts';
import type { StepActivity, StepKey } from '../../domain/deploys/steps.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import { cleanUpAfterBuild, pruneImages, removeService } from './clean-up.ts';
import type { DeploysDeps } from './deps.ts';
import { type FinishBuildInput, finishBuild } from './finish-build.ts';
import { noteAttached, openBuild, readSourceProgress } from './open-build.ts';
import { reconcileBuilds, reconcileWorkloads } from './reconcile.ts';
import { restorePrevious } from './restore-previous.ts';
import { runStep, type StepContext, type StepInput, type StepResult } from './step.ts';
import { buildImage } from './steps/build-image.ts';
import { checkHealth } from './steps/check-health.ts';
import { fetchSource } from './steps/fetch-source.ts';
import { installWorkload } from './steps/install-workload.ts';
import { preflightConfig } from './steps/preflight-config.ts';
import { prepareContainerFile } from './steps/prepare-container-file.ts';
import { provisionOAuthClient } from './steps/provision-oauth-client.ts';
import { pushImage } from './steps/push-image.ts';
import { readCatalog } from './steps/read-catalog.ts';
import { registerRelease } from './steps/register-release.ts';

type StepWork = (deps: DeploysDeps, context: StepContext) => Promise<StepResult['facts']>;

/** The work of each step that does something; `domain/deploys/steps.ts` names the activities. */
const STEP_WORK: Record<StepActivity, readonly [StepKey, StepWork]> = {
  fetchSource: ['source', fetchSource],
  readCatalog: ['catalog', readCatalog],
  prepareContainerFile: ['container-file', prepareContainerFile],
  preflightConfig: ['config-preflight', preflightConfig],
  buildImage: ['image-build', buildImage],
  pushImage: ['image-push', pushImage],
  provisionOAuthClient: ['oauth-client', provisionOAuthClient],
  installWorkload: ['install', installWorkload],
  checkHealth: ['health-check', checkHealth],
  registerRelease: ['service-registration', registerRelease],
};

/** The activities of the deploy workflows. */
export function createDeploysActivities(deps: DeploysDeps) {
  return {
    ...createStepActivities(deps),
    openBuild: (request: BuildRequest) => openBuild(deps, request),
    noteAttached: (input: { buildId: string; request: BuildRequest }) => noteAttached(deps, input),
    readSourceProgress: (buildId: string) => readSourceProgress(deps, buildId),
    requestSlot: (request: Omit<SlotRequested, 'limit'>) =>
      deps.workflows.requestSlot({ ...request, limit: deps.settings.buildConcurrency }),
    resolveHead: (input: { url: string; branch: string | null }) =>
      whileHeartbeating((signal) => deps.sources.resolveHead(input.url, input.branch, signal)),
    finishBuild: (input: FinishBuildInput) => whileHeartbeating(() => finishBuild(deps, input)),
    restorePrevious: (build: BuildRequest) => whileHeartbeating(() => restorePrevious(deps, build)),
    cleanUpAfterBuild: (build: BuildRequest) => whileHeartbeating((signal) => cleanUpAfterBuild(deps, build, signal)),
    removeService: (service: { id: string; name: string }) => whileHeartbeating(() => removeService(deps, service)),
    pruneImages: () => whileHeartbeating((signal) => pruneImages(deps, signal)),
    reconcileBuilds: () => whileHeartbeating(() => reconcileBuilds(deps)),
    reconcileWorkloads: () => whileHeartbeating((signal) => reconcileWorkloads(deps, signal)),
    listClosedBuilds: (buildIds: readonly string[]) => listClosedBuilds(deps, buildIds),
  };
}

export type DeploysActivities = ReturnType<typeof createDeploysActivities>;

function createStepActivities(deps: DeploysDeps): Record<StepActivity, (input: StepInput) => Promise<StepResult>> {
  const activities: Partial<Record<StepActivity, (input: StepInput) => Promise<StepResult>>> = {};
  for (const name of Object.keys(STEP_WORK) as StepActivity[]) {
    const [key, work] = STEP_WORK[name];
    activities[name] = (input) => runStep(deps, key, input, (context) => work(deps, context));
  }
  return activities as Record<StepActivity, (input: StepInput) => Promise<StepResult>>;
}

async function listClosedBuilds(deps: DeploysDeps, buildIds: readonly string[]): Promise<string[]> {
  const closed: string[] = [];
  for (const buildId of buildIds) {
    if (!(await deps.workflows.isRunning(buildWorkflowId(buildId)))) closed.push(buildId);
  }
  return closed;
}
