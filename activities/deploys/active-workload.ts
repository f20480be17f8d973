import type { DeployTarget } from '../../domain/deploys/build-store.ts';
import { isHealthy } from '../../domain/deploys/health.ts';
import type { Release } from '../../domain/deploys/release.ts';
import type { RouteTarget, Workload } from '../../domain/deploys/workload-runtime.ts';
import type { DeploysDeps } from './deps.ts';

/** True for the workload that serves while the release is the active one. */
export function isWorkloadOf({ id, installedBy }: Release, { buildId, releaseId }: Workload): boolean {
  return installedBy === null ? releaseId === id : buildId === installedBy;
}

/** The newest running workload of the release, or else one that has stopped. */
export function workloadOfRelease(release: Release, workloads: readonly Workload[]): Workload | undefined {
  const own = workloads.filter((workload) => isWorkloadOf(release, workload));
  return own.find(({ running }) => running) ?? own[0];
}

/**
 * True when the public route leads to the running workload of the active release, or nowhere when there is none.
 * Reads only.
 */
export async function servesAsRecorded(
  { releases, edge }: Pick<DeploysDeps, 'releases' | 'edge'>,
  { service, environment }: DeployTarget,
  workloads: readonly Workload[],
): Promise<boolean> {
  const active = await releases.active(service, environment);
  const routed = await edge.current(service, environment);
  if (active === null) return routed === null;
  return workloads.some((workload) => workload.running && isWorkloadOf(active, workload) && leadsTo(routed, workload));
}

function leadsTo(routed: RouteTarget | null, { id, address }: Workload): boolean {
  return routed?.workloadId === id && routed.address === address;
}

/**
 * What is known about the release that served before, as a sentence for people: its public route is asked. Reads only;
 * never fails, for it is told beside a failure.
 * @returns null when there is none
 */
export async function describeServing(
  { releases, edge, runtime }: Pick<DeploysDeps, 'releases' | 'edge' | 'runtime'>,
  { service, environment }: DeployTarget,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const active = await releases.active(service, environment);
    if (active === null) return null;
    const routed = await edge.current(service, environment);
    const workload = (await runtime.list(service, environment)).find(({ id }) => id === routed?.workloadId);
    if (workload === undefined || !isWorkloadOf(active, workload)) {
      return `The public route does not lead to the previous release (${active.id}).`;
    }
    const probe = await edge.probe(service, environment, active.healthEndpoint, signal);
    return isHealthy(active, probe)
      ? `The previous release keeps serving: ${probe.summary}.`
      : `The previous release (${active.id}) does not answer: ${probe.summary}.`;
  } catch {
    return 'Whether the previous release serves could not be found out.';
  }
}
