import type { BuildRequest } from '../../domain/deploys/build.ts';
import { undoEpoch } from '../../domain/deploys/epoch.ts';
import { describeServing, workloadOfRelease } from './active-workload.ts';
import type { DeploysDeps } from './deps.ts';
import { epochOfBuild } from './epoch-of-build.ts';
import { note } from './open-build.ts';
import { withRedactedErrors } from './redaction.ts';
import { releaseIdOf } from './release-id.ts';
import { setRouteUnlessNewer } from './set-route.ts';

type UndoDeps = Pick<DeploysDeps, 'runtime' | 'releases' | 'edge' | 'builds' | 'epochs'>;

type RestoreDeps = UndoDeps &
  Pick<DeploysDeps, 'log' | 'now' | 'services' | 'cipher' | 'databases'> & {
    readonly settings: Pick<DeploysDeps['settings'], 'platformSecrets'>;
  };

/**
 * Undoes an installation that did not become healthy: the route goes back to the active release's workload, and the
 * new workload is removed. Idempotent: it sets states, and what is gone stays gone. Its failure is told in the record of
 * the build, and holds no secret.
 */
export async function restorePrevious(deps: RestoreDeps, build: BuildRequest, signal: AbortSignal): Promise<void> {
  await withRedactedErrors(deps, build, async () => {
    const isUndone = await undoInstallation(deps, build);
    const text = isUndone
      ? `Removed the new workload. ${(await describeServing(deps, build, signal)) ?? 'There is no previous release.'}`
      : 'The new release was registered already and stays.';
    await note(deps, build.buildId, text, 'warn', 'install');
  });
}

/**
 * First decides that the release does not become the active one, then sets the route, then removes the workload. From
 * then on late writes of the installation are refused, because the undo has a newer epoch.
 * @returns false when the release is the active one already: then there is nothing to undo
 */
async function undoInstallation(deps: UndoDeps, build: BuildRequest): Promise<boolean> {
  const { service, environment, buildId } = build;
  const epoch = await epochOfBuild(deps, build);
  if (!(await deps.releases.withdraw(releaseIdOf(build), epoch))) return false;
  const workloads = await deps.runtime.list(service, environment);
  const own = workloads.filter((workload) => workload.buildId === buildId);
  const others = workloads.filter((workload) => workload.buildId !== buildId);
  const active = await deps.releases.active(service, environment);
  const previous = active === null ? undefined : workloadOfRelease(active, others);
  const routed = await deps.edge.current(service, environment);
  const isPublic = own.some(({ id }) => id === routed?.workloadId);
  const before =
    active === null || previous === undefined
      ? null
      : { serviceId: active.serviceId, workloadId: previous.id, address: previous.address };
  await setRouteUnlessNewer(deps.edge, build, { target: isPublic ? before : routed, epoch: undoEpoch(epoch) });
  for (const workload of own) await deps.runtime.remove(workload, 5);
  return true;
}
