import type { BuildRecord } from '../../domain/deploys/build.ts';
import type { DeployTarget } from '../../domain/deploys/build-store.ts';
import type { Workload } from '../../domain/deploys/workload-runtime.ts';
import { eachItem } from '../../domain/each-item.ts';
import { targetKey } from '../../domain/ids.ts';
import { servesAsRecorded } from './active-workload.ts';
import type { DeploysDeps } from './deps.ts';
import { eachOnItsOwn, throwFailures } from './each-on-its-own.ts';
import { measureWorkload } from './measure-workload.ts';
import { removeStaleWorkloads } from './remove-stale-workloads.ts';

type Deps = Pick<DeploysDeps, 'builds' | 'edge' | 'releases' | 'runtime' | 'workloadStates' | 'workflows' | 'now'>;

/** Services that are compared side by side. */
const LANES = 4;
/** The clean-up of a build has been at work by then. */
const CLEAN_UP_GRACE_MS = 120_000;

/**
 * Compares what serves with the records, and asks the coordinator of each service that differs for a repair, which reads
 * the facts anew: one that cannot be repaired keeps nothing from the others. Every workload that no build is starting is
 * held to the limits of its tier, how each is is noted for people, those that a clean-up left behind are removed, and the machine is kept from all of them. Idempotent: a repair of what serves
 * as recorded changes nothing.
 *
 * @returns the services that were asked for, such as `shop/prod`
 * @throws UNAVAILABLE naming the services that could not be compared, after all others were
 */
export async function reconcileWorkloads(deps: Deps, signal: AbortSignal): Promise<string[]> {
  const asked: string[] = [];
  const unprotected = await eachOnItsOwn(['the firewall of workloads'], {
    nameOf: (what) => what,
    work: () => deps.runtime.protect(),
    signal,
  });
  const workloads = await deps.runtime.listAll();
  const unlimited = await eachOnItsOwn(workloads, {
    nameOf: (workload) => `limits of ${targetKey(workload.service, workload.environment)}`,
    work: (workload) => limitUnlessStarting(deps, workload),
    signal,
  });
  const byTarget = Map.groupBy(workloads, ({ service, environment }) => targetKey(service, environment));
  const unserved = await eachOnItsOwn(allTargets(deps, workloads), {
    nameOf: ({ service, environment }) => targetKey(service, environment),
    work: async (target) => {
      const key = targetKey(target.service, target.environment);
      if (await needsRepair(deps, target, byTarget.get(key) ?? [])) {
        await deps.workflows.requestRepair(target);
        asked.push(key);
      }
      await removeLeftBehind(deps, target, signal);
    },
    signal,
    lanes: LANES,
  });
  const unmeasured = await eachOnItsOwn(workloads, {
    nameOf: (workload) => `state of ${targetKey(workload.service, workload.environment)}`,
    work: (workload) => measureWorkload(deps, workload, signal),
    signal,
    lanes: LANES,
  });
  const failures = [...unprotected, ...unserved, ...unlimited, ...unmeasured];
  throwFailures('Services could not be compared', failures, { retryable: false });
  return asked;
}

/** Each service and environment that has an active release, and then those of which only workloads are there. */
async function* allTargets({ releases }: Deps, workloads: readonly Workload[]): AsyncGenerator<DeployTarget> {
  const seen = new Set<string>();
  const isNew = ({ service, environment }: DeployTarget): boolean => {
    const key = targetKey(service, environment);
    return !seen.has(key) && seen.add(key) !== null;
  };
  for await (const target of eachItem((page) => releases.listTargets(page))) if (isNew(target)) yield target;
  for (const { service, environment } of workloads) {
    const target = { service, environment };
    if (isNew(target)) yield target;
  }
}

/** A deploy in progress decides itself where the route goes. */
async function needsRepair(deps: Deps, target: DeployTarget, workloads: readonly Workload[]): Promise<boolean> {
  if (await servesAsRecorded(deps, target, workloads)) return false;
  const open = await deps.builds.listOpen(target, { cursor: null, limit: 1 });
  return open.items.length === 0;
}

async function removeLeftBehind(deps: Deps, target: DeployTarget, signal: AbortSignal): Promise<void> {
  const endedBefore = deps.now().getTime() - CLEAN_UP_GRACE_MS;
  const isDue = (build: BuildRecord | null) => (build?.finishedAt?.getTime() ?? Number.POSITIVE_INFINITY) < endedBefore;
  const failures = await removeStaleWorkloads(deps, target, { signal, isDue });
  throwFailures('Old workloads could not be removed', failures, { retryable: false });
}

/**
 * Applies the CPU limit to a workload whose build ended, or whose worker was killed, between start and readiness. The
 * state of the build is read after its workload was listed: a build that is not open then has ended.
 */
async function limitUnlessStarting({ builds, runtime }: Deps, workload: Workload): Promise<void> {
  if ((await builds.stateOf(workload.buildId)) !== 'open') await runtime.applyCpuLimit(workload);
}
