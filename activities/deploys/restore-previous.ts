import type { BuildRequest } from '../../domain/deploys/build.ts';
import type { DeploysDeps } from './deps.ts';
import { note } from './open-build.ts';
import { withRedactedErrors } from './redaction.ts';

type RestoreDeps = Pick<DeploysDeps, 'runtime' | 'releases' | 'edge' | 'log' | 'now' | 'services' | 'cipher'> & {
  readonly settings: Pick<DeploysDeps['settings'], 'platformSecrets'>;
};

/**
 * Undoes an installation that did not become healthy: the route goes back to the active release's workload, and the
 * new workload is removed. Idempotent: it sets states, and what is gone stays gone. Its failure is told in the record of
 * the build, and holds no secret.
 */
export async function restorePrevious(deps: RestoreDeps, build: BuildRequest): Promise<void> {
  await withRedactedErrors(deps, build.serviceId, () => restore(deps, build));
}

async function restore(deps: RestoreDeps, build: BuildRequest): Promise<void> {
  const serving = await undoInstallation(deps, build);
  const outcome = serving === null ? 'there is no previous release' : `release ${serving} keeps serving`;
  await note(deps, build.buildId, `Removed the new workload; ${outcome}`, 'warn', 'install');
}

/**
 * The undo itself, without a word in the log. Idempotent: it sets states, and what is gone stays gone.
 * @returns the id of the release that serves; null when there was none before
 */
export async function undoInstallation(
  deps: Pick<RestoreDeps, 'runtime' | 'releases' | 'edge'>,
  build: BuildRequest,
): Promise<string | null> {
  const { service, environment, buildId } = build;
  const workloads = await deps.runtime.list(service, environment);
  const own = workloads.filter((workload) => workload.buildId === buildId);
  const active = await deps.releases.active(service, environment);
  const previous = workloads.find((workload) => workload.buildId !== buildId && workload.releaseId === active?.id);

  const routed = await deps.edge.current(service, environment);
  if (own.some((workload) => workload.id === routed?.workloadId)) {
    if (previous === undefined) await deps.edge.unroute(service, environment);
    else await deps.edge.route(service, environment, { workloadId: previous.id, address: previous.address });
  }
  for (const workload of own) await deps.runtime.remove(workload, 5);
  return previous?.releaseId ?? null;
}
