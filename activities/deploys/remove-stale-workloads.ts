import type { BuildRecord } from '../../domain/deploys/build.ts';
import type { DeployTarget } from '../../domain/deploys/build-store.ts';
import { undoEpoch } from '../../domain/deploys/epoch.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import type { Workload } from '../../domain/deploys/workload-runtime.ts';
import { isWorkloadOf } from './active-workload.ts';
import type { DeploysDeps } from './deps.ts';
import { eachOnItsOwn, type Failure } from './each-on-its-own.ts';
import { releaseIdOf } from './release-id.ts';
import { setRouteUnlessNewer } from './set-route.ts';

export type StaleDeps = Pick<DeploysDeps, 'builds' | 'edge' | 'releases' | 'runtime'>;

export const STOP_GRACE_SECONDS = 10;

/**
 * Removes the workloads of a service and environment that will never serve again: their build has ended, and another one
 * installed the active release. Both stay true for ever, because only an open build makes its release the active one; so
 * this needs no epoch, and may be late. Idempotent: what is gone stays gone.
 *
 * @param isDue which of them to remove now, by the record of their build
 * @returns what could not be removed, after all others were
 */
export async function removeStaleWorkloads(
  deps: StaleDeps,
  { service, environment }: DeployTarget,
  { signal, isDue = () => true }: { signal: AbortSignal; isDue?: (build: BuildRecord | null) => boolean },
): Promise<readonly Failure[]> {
  return await eachOnItsOwn(await deps.runtime.list(service, environment), {
    nameOf: ({ id }) => `workload ${id}`,
    work: async (workload) => {
      // The record comes first: a build that has ended then activates nothing afterwards.
      const build = await deps.builds.find(workload.buildId);
      if (isDue(build) && (await isStale(deps, workload, build))) {
        await deps.runtime.remove(workload, STOP_GRACE_SECONDS);
      }
    },
    signal,
  });
}

async function isStale({ releases, edge }: StaleDeps, workload: Workload, build: BuildRecord | null): Promise<boolean> {
  if (build !== null && !isTerminal(build.status)) return false;
  const epoch = build?.status === 'failed' ? build.epoch : null;
  if (build !== null && epoch !== null) {
    // A step of it that was paused may still try to activate the release: this write decides which of both counts.
    await releases.withdraw(releaseIdOf({ ...build, buildId: build.id }), epoch);
  }
  const { service, environment } = workload;
  const active = await releases.active(service, environment);
  if (active !== null && isWorkloadOf(active, workload)) return false;
  const routed = await edge.current(service, environment);
  // Where an undo was given up, the repair takes the route away first.
  if (routed?.workloadId === workload.id) return false;
  // The same step may still try to route to it.
  if (epoch !== null) await setRouteUnlessNewer(edge, workload, { target: routed, epoch: undoEpoch(epoch) });
  return true;
}
