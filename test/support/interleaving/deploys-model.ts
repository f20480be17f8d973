import { isWorkloadOf } from '../../../activities/deploys/active-workload.ts';
import { createDeploysActivities } from '../../../activities/deploys/index.ts';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import type { DeployTarget } from '../../../domain/deploys/build-store.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { buildWorkflowId, coordinatorWorkflowId } from '../../../domain/deploys/messages.ts';
import type { EdgeRouter } from '../../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { cleanUpAfterBuild } from '../../../workflows/deploys/clean-up-after-build.ts';
import { coordinateDeploys } from '../../../workflows/deploys/coordinate-deploys.ts';
import { reconcileDeploys } from '../../../workflows/deploys/reconcile-deploys.ts';
import { removeService } from '../../../workflows/deploys/remove-service.ts';
import { runBuild } from '../../../workflows/deploys/run-build.ts';
import { buildRequest, catalogRecord } from '../../ports/records.ts';
import { createInMemoryDeploys } from '../in-memory/deploys-deps.ts';
import { healthyProgram } from '../in-memory/image-registry.ts';
import type { ActivityTask } from '../workflow-model/execution.ts';
import type { Outcome } from '../workflow-model/outcomes.ts';
import { createWorkflowModel } from '../workflow-model/workflow-model.ts';
import { createDeployClient } from './deploy-client.ts';
import { performActivity } from './perform-activity.ts';
import type { Random } from './random.ts';
import { type Attempt, createScheduler } from './scheduler.ts';

export const TARGET = { service: 'shop', environment: 'prod' } as const satisfies DeployTarget;

const HEALTHY = `localhost:5050/shop@sha256:${'a'.repeat(64)}`;
const STOPS = `localhost:5050/shop@sha256:${'b'.repeat(64)}`;
const WORKFLOWS = { coordinateDeploys, runBuild, cleanUpAfterBuild, reconcileDeploys, removeService };

/** What a build meets: a program that serves, one that stops at once, or one that does not answer in public. */
export type Fate = 'serves' | 'stops' | 'is unwell';

interface Installed {
  readonly fate: Fate;
  readonly facts: BuildFacts;
}

/**
 * The deploys of one service and environment: the workflows and activities are the real ones, on a model of Temporal and on
 * parts in memory. Attempts whose worker is killed or paused are made again; what was paused goes on later.
 *
 * @param change lets a test take a guarantee of a part away
 */
export function createDeploysModel(random: Random, change: (edge: EdgeRouter) => EdgeRouter = (edge) => edge) {
  const parts = createInMemoryDeploys();
  const edge = change(parts.edge);
  const scheduler = createScheduler(random, { kills: 4 });
  const violations: string[] = [];
  /** Requests that are not answered, and activities that have not ended. */
  const asked = new Set<Promise<unknown>>();
  const performing = new Set<Promise<unknown>>();
  const builds = new Map<string, Installed>();
  /** Builds whose workflow was terminated: nothing undoes them before the next repair. */
  const terminated = new Set<string>();
  /** Workloads that a restart of the machine stopped: they answer nobody, whether or not they are still there. */
  const stopped = new Set<string>();
  let services = 0;

  parts.registry.put(HEALTHY, healthyProgram);
  parts.registry.put(STOPS, () => ({ output: [], listener: null, ended: 'exit code 1' }));

  const temporal = createWorkflowModel({
    workflows: WORKFLOWS as never,
    activities: new Set(Object.keys(createDeploysActivities(parts))),
    perform: (task) => during(performing, perform(task)),
    post: scheduler.post,
    tasksOfRun: () => 20 + random.below(100),
  });
  const client = createDeployClient(temporal, parts.workflows);

  function during<T>(group: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
    group.add(work);
    const end = (): void => void group.delete(work);
    work.then(end, end);
    return work;
  }

  /** A public health check that fails does so at once. */
  function probedEdge(building: string): EdgeRouter {
    return {
      ...edge,
      async probe(...args) {
        const probe = await edge.probe(...args);
        const { installedBy = null } = (await parts.releases.active('shop', 'prod')) ?? {};
        if (probe.ok && (builds.get(building)?.fate !== 'is unwell' || installedBy === building)) return probe;
        throw new FairleadError('HEALTH_CHECK_FAILED', probe.summary);
      },
    };
  }

  /** The activities of one attempt, each of whose calls to a part the scheduler lets through. */
  const activitiesOf = (attempt: Attempt, building: string) =>
    createDeploysActivities({
      ...parts,
      services: attempt.through(parts.services),
      builds: attempt.through(parts.builds),
      releases: attempt.through(parts.releases),
      epochs: attempt.through(parts.epochs),
      runtime: attempt.through(parts.runtime),
      edge: attempt.through(probedEdge(building)),
      workflows: client.directory,
    });

  async function perform(task: ActivityTask): Promise<Outcome> {
    const { build } = (task.args[0] ?? {}) as { readonly build?: BuildRequest };
    const outcome = await performActivity(task, {
      begin: () => scheduler.attempt(),
      activities: (attempt) => activitiesOf(attempt, build?.buildId ?? ''),
    });
    if (outcome.kind === 'completed') await afterActivity(task);
    return outcome;
  }

  async function afterActivity({ type, args }: ActivityTask): Promise<void> {
    const [input] = args as readonly { readonly build?: BuildRequest; readonly status?: string }[];
    if (type === 'finishBuild' && input?.status === 'completed') await requireServing(input.build?.buildId ?? '');
    if (type !== 'repairTarget') return;
    // A service that is being removed is left to the removal.
    if (((await parts.services.find('shop'))?.removingSince ?? null) === null) terminated.clear();
  }

  async function requireServing(buildId: string): Promise<void> {
    const { workloadId = '' } = (await parts.edge.current('shop', 'prod')) ?? {};
    if (stopped.has(workloadId) || !isInOrder(buildId)) return;
    const workload = (await parts.runtime.list('shop', 'prod')).find(({ id }) => id === workloadId);
    if (workload?.buildId !== buildId) violations.push(`${buildId} is completed, and its code does not serve`);
  }

  /** False for a build whose coordinator was terminated: the next one does not know it, and lets others act beside it. */
  function isInOrder(buildId: string): boolean {
    const coordinator = temporal.latest(coordinatorWorkflowId('shop', 'prod'));
    return temporal.latest(buildWorkflowId(buildId))?.parentRunId === coordinator?.runId;
  }

  async function request(changes: Partial<BuildRequest>): Promise<void> {
    const service = await parts.services.find('shop');
    if (service === null) return;
    const build = buildRequest({ ...TARGET, serviceId: service.id, org: service.org, ...changes });
    // Who removes the service meanwhile has it refused.
    await client.request(build).catch(() => undefined);
  }

  /** A build that is made of what another one has pushed. */
  async function install(installed: Installed): Promise<void> {
    const { buildId } = buildRequest();
    builds.set(buildId, installed);
    await request({
      buildId,
      kind: 'retry',
      resume: { buildId: 'bld_failed', fromStep: 'install', facts: installed.facts },
    });
  }

  const openBuilds = async () => (await parts.builds.listOpen(null, { cursor: null, limit: 100 })).items;

  async function register(): Promise<void> {
    if ((await parts.services.find('shop')) !== null) return;
    services += 1;
    await parts.services.upsert({ id: `svc_${services}`, name: 'shop', org: `org-${services}` }, {});
  }

  return {
    parts,
    scheduler,
    violations,
    temporal,
    /** Does something beside all else. */
    beside: (work: Promise<unknown>) => void during(asked, work).catch(() => undefined),
    register,
    openBuilds,
    /** Whether activities are at work: no time passes meanwhile. */
    isPerforming: () => performing.size > 0,
    isAsked: () => asked.size > 0,
    /** Of the builds of all services, such as `rollback completed`. */
    async ends(): Promise<readonly string[]> {
      const { items } = await parts.builds.list({}, { cursor: null, limit: 1_000 });
      return items.map(({ kind, status, reason }) => [kind, status, ...(reason === null ? [] : [reason])].join(' '));
    },
    async deploy(fate: Fate): Promise<void> {
      const commitSha = String(builds.size + 1).padStart(40, '0');
      const imageDigest = fate === 'stops' ? STOPS : HEALTHY;
      const imageTag = `shop:${builds.size + 1}`;
      await install({ fate, facts: { catalog: catalogRecord(), imageTag, imageDigest, port: 3000, commitSha } });
    },
    async rollback(): Promise<void> {
      const { items } = await parts.releases.list('shop', 'prod', { cursor: null, limit: 5 });
      const release = items[random.below(items.length)];
      if (release !== undefined) await request({ kind: 'rollback', releaseId: release.id });
    },
    /** A build that failed, from its installation on. */
    async retry(): Promise<void> {
      const { items } = await parts.builds.list({ status: 'failed' }, { cursor: null, limit: 5 });
      const installed = builds.get(items[random.below(items.length)]?.id ?? '');
      if (installed !== undefined) await install(installed);
    },
    async restart(): Promise<void> {
      const service = await parts.services.find('shop');
      if (service === null) return;
      const { buildId, requestedBy, requestId, requestedAt } = buildRequest();
      const asked = { buildId, requestedBy, requestId, requestedAt, serviceId: service.id };
      await client.restart({ ...TARGET, ...asked, installedBefore: Number.MAX_SAFE_INTEGER }).catch(() => undefined);
    },
    async cancel(): Promise<void> {
      const open = await openBuilds();
      const build = open[random.below(open.length)];
      if (build !== undefined) await client.cancel({ ...TARGET, buildId: build.id }).catch(() => undefined);
    },
    /** Ends the workflow of the build at work, whose attempt goes on as one that was paused; or that of the coordinator. */
    async terminate(): Promise<void> {
      if (random.chance(0.3)) return await temporal.terminate(coordinatorWorkflowId('shop', 'prod'));
      const atWork = (await openBuilds()).find(({ id }) => temporal.latest(buildWorkflowId(id))?.isOpen === true);
      if (atWork === undefined) return;
      terminated.add(atWork.id);
      await temporal.terminate(buildWorkflowId(atWork.id));
    },
    async restartMachine(): Promise<void> {
      for (const workload of await parts.runtime.listAll()) {
        parts.runtime.stop(workload);
        stopped.add(workload.id);
      }
    },
    async compare(): Promise<void> {
      parts.advance(180_000);
      await client.compare();
    },
    /** Begins to remove the service; another org may register its name afterwards. */
    async remove(): Promise<void> {
      const service = await parts.services.find('shop');
      if (service !== null) await client.removeService({ id: service.id, name: 'shop' });
    },
    /** What must hold between any two calls. */
    async check(): Promise<void> {
      const routed = await parts.edge.current('shop', 'prod');
      if (routed === null) return;
      const workload = (await parts.runtime.list('shop', 'prod')).find(({ id }) => id === routed.workloadId);
      if (workload === undefined) {
        if (!stopped.has(routed.workloadId)) violations.push(`the route leads to ${routed.workloadId}, which is gone`);
        return;
      }
      const active = await parts.releases.active('shop', 'prod');
      if (active !== null && isWorkloadOf(active, workload)) return;
      const isOpen = (await parts.builds.stateOf(workload.buildId)) === 'open';
      if (isOpen || terminated.has(workload.buildId)) return;
      violations.push(`the route leads to ${workload.buildId}, which is neither active nor at work`);
    },
  };
}

export type DeploysModel = ReturnType<typeof createDeploysModel>;
