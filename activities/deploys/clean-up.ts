import type { ServiceDatabases } from '../../domain/databases/service-databases.ts';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import { hasEffectsToUndo } from '../../domain/deploys/plan.ts';
import { servesAsRecorded } from './active-workload.ts';
import type { DeploysDeps } from './deps.ts';
import { throwFailures } from './each-on-its-own.ts';
import { removeStaleWorkloads, type StaleDeps } from './remove-stale-workloads.ts';

type CleanUpDeps = StaleDeps &
  Pick<DeploysDeps, 'workspace' | 'workflows'> & { readonly databases: Pick<ServiceDatabases, 'endConsumed'> | null };

/**
 * Removes the source of the build, and the workloads of its service and environment that will never serve again. Where
 * the undo of the build was given up, asks the coordinator for a repair, so that no failed installation stays public.
 * Idempotent: what is gone stays gone, and a repair of what serves as recorded changes nothing.
 *
 * @throws UNAVAILABLE naming the workloads that could not be removed, after all others were
 */
export async function cleanUpAfterBuild(deps: CleanUpDeps, build: BuildRequest, signal: AbortSignal): Promise<void> {
  const record = await deps.builds.find(build.buildId);
  if (record?.status === 'failed' && hasEffectsToUndo(record)) {
    const workloads = await deps.runtime.list(build.service, build.environment);
    if (!(await servesAsRecorded(deps, build, workloads))) await deps.workflows.requestRepair(build);
  }
  await deps.workspace.remove(build.buildId);
  const failures = await removeStaleWorkloads(deps, build, { signal });
  throwFailures('Old workloads could not be removed', failures, { retryable: true });
  await endUnusedLogins(deps, build);
}

/**
 * Ends logins to databases of other services that the active release does not have, and all that nothing allows any more.
 * While a build of the environment is open no unused one is ended, as the build may be given it; the clean-up after that
 * one looks again.
 */
async function endUnusedLogins(deps: CleanUpDeps, { service, serviceId, environment }: BuildRequest): Promise<void> {
  await deps.databases?.endConsumed({ serviceId, environment }, async () => {
    const open = await deps.builds.list({ serviceId, environment, open: true }, { cursor: null, limit: 1 });
    if (open.items.length > 0) return null;
    const active = await deps.releases.active(service, environment);
    return active?.serviceId === serviceId ? active.consumedDatabases : [];
  });
}
