import type { DeployTarget } from '../../domain/deploys/build-store.ts';
import type { Release } from '../../domain/deploys/release.ts';
import type { Workload } from '../../domain/deploys/workload-runtime.ts';
import { isWorkloadOf, servesAsRecorded, workloadOfRelease } from './active-workload.ts';
import type { DeploysDeps } from './deps.ts';
import { throwFailures } from './each-on-its-own.ts';
import { workloadOf } from './release-of-build.ts';
import { removeStaleWorkloads } from './remove-stale-workloads.ts';

export interface RepairInput extends DeployTarget {
  readonly epoch: number;
}

type Deps = Pick<
  DeploysDeps,
  'builds' | 'edge' | 'releases' | 'runtime' | 'services' | 'cipher' | 'databases' | 'settings'
>;

/**
 * Makes one service in one environment serve as its records say: starts the workload of the active release when it does
 * not run, points the route at it, or takes the route away when there is no active release. Reads all facts itself, now.
 * The coordinator lets nobody else act meanwhile. Idempotent: sets states.
 *
 * @returns the id of the release whose workload was started; null when none had to be
 * @throws CONFLICT when the epoch is over; what keeps the workload from starting
 */
export async function repairTarget(deps: Deps, input: RepairInput, signal: AbortSignal): Promise<string | null> {
  const { service, environment, epoch } = input;
  const workloads = await deps.runtime.list(service, environment);
  if (await servesAsRecorded(deps, input, workloads)) return null;
  const release = await deps.releases.active(service, environment);
  if (release === null) {
    await deps.edge.unroute(service, environment, epoch);
    return await endRepair(deps, input, signal, null);
  }
  if (!(await isKept(deps, release))) return null;
  const known = workloadOfRelease(release, workloads);
  const running = await bringUp(deps, release, known, signal).catch(async (error: unknown) => {
    await unrouteOthers(deps, release, input);
    throw error;
  });
  const target = { serviceId: release.serviceId, workloadId: running.id, address: running.address };
  await deps.edge.route(service, environment, target, epoch);
  const isNew = known?.running !== true;
  // Nobody waits here until it is ready: it starts within the limits of its tier.
  if (isNew) await deps.runtime.applyCpuLimit(running);
  return await endRepair(deps, input, signal, isNew ? release.id : null);
}

/** False while its service is being removed, and when it is gone since the release was read. */
async function isKept({ services }: Deps, { serviceId }: Release): Promise<boolean> {
  const service = await services.findConfirmed(serviceId);
  return service !== null && service.removingSince === null;
}

async function bringUp(
  deps: Deps,
  release: Release,
  known: Workload | undefined,
  signal: AbortSignal,
): Promise<Workload> {
  if (known !== undefined) return known.running ? known : await deps.runtime.resume(known, signal);
  const spec = await workloadOf(deps, release, release.installedBy ?? release.buildId);
  return await deps.runtime.start(spec, { signal, onLine: () => undefined });
}

/** What is not the active release stays public not even while that one cannot be started. */
async function unrouteOthers({ edge, runtime }: Deps, release: Release, input: RepairInput): Promise<void> {
  const { service, environment, epoch } = input;
  const routed = await edge.current(service, environment);
  if (routed === null) return;
  const workload = (await runtime.list(service, environment)).find(({ id }) => id === routed.workloadId);
  if (workload === undefined || !isWorkloadOf(release, workload)) await edge.unroute(service, environment, epoch);
}

async function endRepair(
  deps: Deps,
  target: DeployTarget,
  signal: AbortSignal,
  started: string | null,
): Promise<string | null> {
  throwFailures('Old workloads could not be removed', await removeStaleWorkloads(deps, target, { signal }), {
    retryable: true,
  });
  return started;
}
