import type { BuildRequest } from '../../domain/deploys/build.ts';
import { hasEffectsToUndo } from '../../domain/deploys/plan.ts';
import { servesAsRecorded } from './active-workload.ts';
import type { DeploysDeps } from './deps.ts';
import { throwFailures } from './each-on-its-own.ts';
import { removeStaleWorkloads, type StaleDeps } from './remove-stale-workloads.ts';

type CleanUpDeps = StaleDeps & Pick<DeploysDeps, 'workspace' | 'workflows'>;

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
}
