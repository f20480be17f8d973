import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { DeploysActivities } from '../../../activities/deploys/index.ts';
import type { StepInput, StepResult } from '../../../activities/deploys/step.ts';
import { createActivityInterceptor } from '../../../adapters/temporal/activity-interceptor.ts';
import { createDeployCommands } from '../../../adapters/temporal/deploy-commands.ts';
import { createWorkflowDirectory } from '../../../adapters/temporal/workflow-directory.ts';
import type { Catalog } from '../../../domain/catalog/catalog.ts';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { DOCKER_INSTALLATION, planDeploy, stepsToRun } from '../../../domain/deploys/plan.ts';
import type { RestartRequest } from '../../../domain/deploys/restart.ts';
import { ACTING_STEPS, type StepActivity } from '../../../domain/deploys/steps.ts';
import { NO_PASSPORT } from '../../../domain/passport-config.ts';
import { SEARCH_ATTRIBUTES } from '../../../domain/search-attributes.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';
import { testWorkflowBundle } from '../../support/workflow-bundle.ts';

/** With it every step that does something runs. */
const INSTALLATION = {
  ...DOCKER_INSTALLATION,
  wallet: true,
  registry: true,
  monitor: true,
  siteRegistry: true,
  testRunner: true,
  dns: true,
};

/** Asks for every step that does something. */
export const CATALOG: Catalog = {
  name: 'hello',
  declared: true,
  version: '0.6.0',
  framework: 'express',
  owner: 'platform',
  podTier: 'nano',
  cpuRequestMillis: 25,
  memoryRequestBytes: 128 * 1024 ** 2,
  healthEndpoint: '/health',
  healthDeclared: true,
  port: null,
  buildEnvVars: [],
  dockerfile: null,
  nodeVersion: null,
  packageManager: null,
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  outputFolder: null,
  writablePaths: [],
  config: [],
  databases: ['postgres'],
  storage: [],
  dependencies: [{ service: 'mailer', scopes: [], databases: [{ type: 'postgres', access: 'read' }] }],
  routes: [],
  bindings: [],
  auth: { mode: 'sso', passport: NO_PASSPORT },
  modules: [{ name: 'orders', title: null }],
  userAccess: { signIn: 'members', roles: [] },
  registration: null,
  seo: { enabled: true, entity: null, topic: null },
  tests: [
    {
      name: 'health',
      method: 'GET',
      path: '/health',
      headers: {},
      body: null,
      expectStatus: null,
      expectBodyContains: null,
    },
  ],
  walkthrough: null,
  sections: [],
};

const STEP_FACTS: Partial<Record<StepActivity, BuildFacts>> = {
  fetchSource: { commitSha: 'a'.repeat(40), branch: 'main', workDir: '/w' },
  readCatalog: { catalog: CATALOG, appPath: '', contextPath: '' },
  pushImage: { imageDigest: 'localhost/hello@sha256:1' },
  provisionDatabases: { databases: [] },
  resolveDependencies: { dependencies: [] },
  installWorkload: { releaseId: 'rel_1', url: 'http://hello.prod.localhost' },
  checkHealth: { healthReportsCommit: true },
};

export type Activities = DeploysActivities;

/** Activities without effects that keep a journal of the calls; `overrides` replace single ones. */
export function createFakeActivities(
  directory: ReturnType<typeof createWorkflowDirectory>,
  overrides: Partial<Activities> = {},
) {
  const journal: string[] = [];
  let epoch = 0;
  const finished: Parameters<Activities['finishBuild']>[0][] = [];
  const steps = Object.fromEntries(
    ACTING_STEPS.map(({ run: { activity } }) => [
      activity,
      async (input: StepInput): Promise<StepResult> => {
        journal.push(`${input.build.buildId} ${activity}`);
        const facts = STEP_FACTS[activity] ?? {};
        return facts.catalog === undefined ? { facts } : { facts, plan: planAfterCatalog(input.build, facts.catalog) };
      },
    ]),
  ) as Pick<Activities, StepActivity>;
  const activities: Activities = {
    ...steps,
    openBuild: async (request) => {
      journal.push(`${request.buildId} open`);
      return planOf(request);
    },
    openRestart: async (restart) => {
      journal.push(`${restart.buildId} restart`);
      const request = restartBuild(restart);
      return { kind: 'opened', request, plan: planOf(request, CATALOG) };
    },
    noteAttached: async ({ buildId, request }) => void journal.push(`${buildId} attached ${request.buildId}`),
    readSourceProgress: async (buildId) => {
      const cloned = journal.includes(`${buildId} fetchSource`);
      return { cloned, commitSha: cloned ? (STEP_FACTS.fetchSource?.commitSha ?? null) : null };
    },
    pauseBuild: async ({ buildId, step }) => {
      journal.push(`${buildId} paused ${step}`);
      await directory.releaseSlot(buildId);
      return { attempts: 1 };
    },
    readGrantDecisions: async () => ({ state: 'granted' }),
    requestSlot: (request) => directory.requestSlot({ ...request, limit: 3 }),
    resolveHead: async () => ({ commit: 'a'.repeat(40), branch: 'main' }),
    failOpen: async ({ build, step, failure }) =>
      void journal.push(`${build.buildId} warned ${step.key} ${failure.code}`),
    finishBuild: async (input) => {
      journal.push(`${input.build.buildId} ${input.status} ${input.reason ?? ''}`.trim());
      finished.push(input);
      await directory.releaseSlot(input.build.buildId);
    },
    keepUntested: async ({ build, failure }) => {
      journal.push(`${build.buildId} keepUntested ${failure.code}`);
      return { ...failure, code: 'TESTS_FAILED' };
    },
    restorePrevious: async ({ buildId }) => void journal.push(`${buildId} restorePrevious`),
    restoreUserAccess: async ({ buildId }) => void journal.push(`${buildId} restoreUserAccess`),
    cleanUpAfterBuild: async () => undefined,
    removeService: async () => undefined,
    takeEpoch: async () => {
      epoch += 2;
      return epoch;
    },
    repairTarget: async ({ service }) => {
      journal.push(`${service} repair`);
      return null;
    },
    removeTarget: async ({ service }) => void journal.push(`${service} remove`),
    pruneImages: async () => ({ removed: 0, reclaimedBytes: 0 }),
    pruneWhenDiskIsLow: async () => ({ freeBytes: 1_000_000, started: false }),
    reconcileBuilds: async () => [],
    reconcileWorkloads: async () => [],
    listClosedBuilds: async () => [],
    ...overrides,
  };
  return { activities, journal, finished };
}

/** The build that installs the active release once more, as `openRestart` answers it. */
function restartBuild({ buildId, serviceId, service, environment, ...asked }: RestartRequest): BuildRequest {
  const { requestedBy, requestId, requestedAt } = asked;
  return {
    ...{ buildId, kind: 'restart', serviceId, service, environment, org: 'platform', releaseId: 'rel_1', resume: null },
    ...{ requestedBy, requestId, requestedAt },
    source: { kind: 'git', url: 'https://git.example/hello.git', branch: null, commit: null },
  };
}

/** What the record of a build has to run, as `openBuild` answers it. */
export function planOf(request: BuildRequest, catalog: Catalog | null = request.resume?.facts.catalog ?? null) {
  const { kind, resume } = request;
  const fromStep = resume?.fromStep ?? null;
  return stepsToRun(planDeploy({ kind, fromStep, done: null, catalog, facts: {}, installation: INSTALLATION }));
}

/** What is left after the catalog was read. */
function planAfterCatalog(request: BuildRequest, catalog: Catalog) {
  const plan = planOf(request, catalog);
  return plan.slice(plan.findIndex(({ key }) => key === 'catalog') + 1);
}

const KEYWORD = 2;

/** A server on which time is skipped while nobody works. */
async function startWithSearchAttributes(): Promise<TestWorkflowEnvironment> {
  const env = await startTimeSkipping();
  // This server can add search attributes but not list them, so `ensureSearchAttributes` is for real servers.
  const searchAttributes = Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, KEYWORD]));
  await env.connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  return env;
}

/** A Temporal server, by default a time-skipping one, with one worker, whose activities each test sets. */
export async function createTemporal(startServer: () => Promise<TestWorkflowEnvironment> = startWithSearchAttributes) {
  const env = await startServer();
  // Under a client of its own, which skips no time while it waits for a workflow.
  const directory = createWorkflowDirectory(new Client({ connection: env.connection }));
  let current = createFakeActivities(directory).activities;
  const names = Object.keys(current) as (keyof Activities)[];
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: TASK_QUEUE,
    workflowBundle: await testWorkflowBundle(),
    activities: Object.fromEntries(
      names.map((name) => [name, (...args: never[]) => (current[name] as (...args: never[]) => unknown)(...args)]),
    ),
    interceptors: { activity: [() => ({ inbound: createActivityInterceptor(() => 'err_test') })] },
    defaultHeartbeatThrottleInterval: '200ms',
    maxHeartbeatThrottleInterval: '200ms',
  });
  const running = worker.run();
  return {
    env,
    client: env.client,
    commands: createDeployCommands(env.client),
    directory,
    setActivities(activities: Activities): void {
      current = activities;
    },
    /** Runs `body` with these activities in place. */
    async withActivities<T>(activities: Activities, body: () => Promise<T>): Promise<T> {
      current = activities;
      return await body();
    },
    async stop() {
      worker.shutdown();
      await running;
      await env.teardown();
    },
  };
}
