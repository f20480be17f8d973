import { isWorkloadOf } from '../../../activities/deploys/active-workload.ts';
import type { DeploysDeps } from '../../../activities/deploys/deps.ts';
import { createDeploysActivities, type DeploysActivities } from '../../../activities/deploys/index.ts';
import type { StepInput, StepResult } from '../../../activities/deploys/step.ts';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { DeployTarget, EdgeRouter } from '../../../domain/deploys/ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { asActivity } from '../../activities/deploys/as-activity.ts';
import { buildRequest, catalogRecord } from '../../ports/records.ts';
import { createInMemoryDeploys } from '../in-memory/deploys-deps.ts';
import { healthyProgram } from '../in-memory/image-registry.ts';
import type { Random } from './random.ts';
import { type Attempt, createScheduler } from './scheduler.ts';

export const TARGET = { service: 'shop', environment: 'prod' } as const satisfies DeployTarget;

const HEALTHY = `localhost:5050/shop@sha256:${'a'.repeat(64)}`;
const STOPS = `localhost:5050/shop@sha256:${'b'.repeat(64)}`;
const INSTALL_STEPS = ['installWorkload', 'checkHealth', 'registerRelease'] as const;

/** What a build meets: a program that serves, one that stops at once, or one that does not answer in public. */
export type Fate = 'serves' | 'stops' | 'is unwell';

/** What the workflow sees of an attempt whose worker is away. */
const LOST = { error: new FairleadError('UNAVAILABLE', 'the worker is away', { retryable: true }) };

interface Cancellation {
  requested: boolean;
}

/**
 * The deploy workflows of one service and environment as Temporal would run them, on parts in memory: the activities are
 * the real ones; of the coordinator only its order is here: builds, repairs and removals one after the other. Attempts
 * whose worker is killed or paused are made again; what was paused goes on later.
 *
 * @param change lets a test take a guarantee of a part away
 */
export function createDeploysModel(random: Random, change: (edge: EdgeRouter) => EdgeRouter = (edge) => edge) {
  const parts = createInMemoryDeploys();
  const edge = change(parts.edge);
  const deps: DeploysDeps = { ...parts, edge };
  const scheduler = createScheduler(random, { kills: 4 });
  const unwell = new Set<string>();
  const running = new Set<Promise<unknown>>();
  /** Builds whose workflow was terminated: nothing undoes them before the next repair. */
  const terminated = new Set<string>();
  let current: { readonly build: BuildRequest; readonly cancellation: Cancellation } | null = null;
  let last: Promise<unknown> = Promise.resolve();
  /** Workloads that a restart of the machine stopped: they answer nobody, whether or not they are still there. */
  const stopped = new Set<string>();
  let builds = 0;

  parts.registry.put(HEALTHY, healthyProgram);
  parts.registry.put(STOPS, () => ({ output: [], listener: null, ended: 'exit code 1' }));
  parts.workflows.whenRepairing((target) => inOrder(() => repair(target)));
  parts.workflows.whenRemoving((removal) =>
    inOrder(async () => {
      const epoch = await parts.epochs.next(removal);
      await activity((activities) => activities.removeTarget({ ...removal, epoch }));
    }),
  );

  function inOrder<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  }

  /** Does something beside all else. */
  function beside(work: Promise<unknown>): void {
    const ended = work.catch(() => undefined).finally(() => running.delete(ended));
    running.add(ended);
  }

  /** A public health check that fails does so at once. */
  function probedEdge(): EdgeRouter {
    return {
      ...edge,
      async probe(...args) {
        const probe = await edge.probe(...args);
        const { installedBy = null } = (await parts.releases.active('shop', 'prod')) ?? {};
        const building = current?.build.buildId ?? '';
        if (probe.ok && (!unwell.has(building) || installedBy === building)) return probe;
        throw new FairleadError('HEALTH_CHECK_FAILED', probe.summary);
      },
    };
  }

  /** The activities of one attempt, each of whose calls to a part the scheduler lets through. */
  function activitiesOf(attempt: Attempt): DeploysActivities {
    return createDeploysActivities({
      ...deps,
      services: attempt.through(deps.services),
      builds: attempt.through(deps.builds),
      releases: attempt.through(deps.releases),
      epochs: attempt.through(deps.epochs),
      runtime: attempt.through(deps.runtime),
      edge: attempt.through(probedEdge()),
    });
  }

  /** Attempts of an activity, until one ends by itself. @throws its failure, when that does not pass */
  async function activity<T>(
    call: (activities: DeploysActivities) => Promise<T>,
    { cancellation, isTriedOnce = false }: { cancellation?: Cancellation; isTriedOnce?: boolean } = {},
  ): Promise<T> {
    for (let number = 1; ; number += 1) {
      const attempt = scheduler.attempt();
      const work = asActivity(() => call(activitiesOf(attempt)), { attempt: number });
      const ended = work.then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      const outcome = await Promise.race([ended, attempt.lost.then(() => LOST)]);
      if ('value' in outcome) return outcome.value;
      const isOver = isTriedOnce || cancellation?.requested === true || !mayPass(outcome.error);
      if (isOver) throw outcome.error;
    }
  }

  async function repair(target: DeployTarget): Promise<void> {
    const epoch = await parts.epochs.next(target);
    await activity((activities) => activities.repairTarget({ ...target, epoch }), { isTriedOnce: true });
    // A service that is being removed is left to the removal.
    if (((await parts.services.find('shop'))?.removingSince ?? null) === null) terminated.clear();
  }

  async function steps(build: BuildRequest, cancellation: Cancellation): Promise<void> {
    let facts: BuildFacts = build.resume?.facts ?? {};
    for (const step of INSTALL_STEPS) {
      const isCancellable = step !== 'registerRelease';
      if (isCancellable && cancellation.requested) throw new Error('cancelled');
      const perform = (activities: DeploysActivities): Promise<StepResult> =>
        (activities[step] as (input: StepInput) => Promise<StepResult>)({ build, facts });
      const result = await activity(perform, isCancellable ? { cancellation } : {});
      facts = { ...facts, ...result.facts };
    }
  }

  async function run(build: BuildRequest): Promise<void> {
    const cancellation = { requested: false };
    current = { build, cancellation };
    const failed = await steps(build, cancellation).then(
      () => false,
      () => true,
    );
    const isTerminated = failed && terminated.has(build.buildId);
    if (failed && !isTerminated) await activity((activities) => activities.restorePrevious(build));
    const failure = { code: 'INTERNAL', message: 'failed', step: 'install' };
    const end = failed
      ? ({ status: 'failed', reason: 'step_failed', failure } as const)
      : ({ status: 'completed', reason: null, failure: null } as const);
    await activity((activities) => activities.finishBuild({ build, ...end, supersededBy: null }));
    current = null;
    if (!failed) await requireServing(build);
    beside(activity((activities) => activities.cleanUpAfterBuild(build)));
  }

  async function requireServing({ buildId }: BuildRequest): Promise<void> {
    const { workloadId = '' } = (await parts.edge.current('shop', 'prod')) ?? {};
    if (stopped.has(workloadId)) return;
    const workload = (await parts.runtime.list('shop', 'prod')).find(({ id }) => id === workloadId);
    if (workload?.buildId !== buildId) violations.push(`${buildId} is completed, and its code does not serve`);
  }

  /** Opens a build and lets it run when it is its turn. */
  async function request(changes: Partial<BuildRequest>): Promise<void> {
    const service = await parts.services.find('shop');
    if (service === null) return;
    const build = buildRequest({ ...TARGET, serviceId: service.id, org: service.org, ...changes });
    await activity((activities) => activities.openBuild(build));
    await inOrder(() => run(build));
  }

  const violations: string[] = [];

  return {
    parts,
    scheduler,
    violations,
    beside,
    activity,
    inOrder,
    isIdle: () => running.size === 0,
    async deploy(fate: Fate): Promise<void> {
      builds += 1;
      const commitSha = String(builds).padStart(40, '0');
      const imageDigest = fate === 'stops' ? STOPS : HEALTHY;
      const facts = { catalog: catalogRecord(), imageTag: `shop:${builds}`, imageDigest, port: 3000, commitSha };
      const { buildId } = buildRequest();
      if (fate === 'is unwell') unwell.add(buildId);
      const resume = { buildId: 'bld_failed', fromStep: 'install', facts };
      await request({ buildId, kind: 'retry', resume });
    },
    async rollback(): Promise<void> {
      const { items } = await parts.releases.list('shop', 'prod', { cursor: null, limit: 5 });
      const release = items[random.below(items.length)];
      if (release !== undefined) await request({ kind: 'rollback', releaseId: release.id });
    },
    async cancel(): Promise<void> {
      if (current !== null) current.cancellation.requested = true;
    },
    /** Ends the workflow of the build at work; its attempt goes on as one that was paused. */
    async terminate(): Promise<void> {
      if (current === null) return;
      terminated.add(current.build.buildId);
      current.cancellation.requested = true;
    },
    async restartMachine(): Promise<void> {
      for (const workload of await parts.runtime.listAll()) {
        parts.runtime.stop(workload);
        stopped.add(workload.id);
      }
    },
    async compare(): Promise<void> {
      parts.advance(180_000);
      await activity((activities) => activities.reconcileWorkloads(), { isTriedOnce: true });
    },
    /** Removes the service, and lets another org register its name. */
    async remove(): Promise<void> {
      const service = await parts.services.find('shop');
      if (service === null) return;
      await activity((activities) => activities.removeService({ id: service.id, name: 'shop' }));
      await register();
    },
    register,
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

  async function register(): Promise<void> {
    builds += 1;
    await parts.services.upsert({ id: `svc_${builds}`, name: 'shop', org: `org-${builds}` }, {});
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof FairleadError && error.retryable;
}

export type DeploysModel = ReturnType<typeof createDeploysModel>;
