import { isHealthy } from '../../domain/deploys/health.ts';
import type { Workload } from '../../domain/deploys/workload-runtime.ts';
import { meanCpuMillis, type WorkloadHealth } from '../../domain/deploys/workload-state.ts';
import type { DeploysDeps } from './deps.ts';

type Deps = Pick<DeploysDeps, 'releases' | 'runtime' | 'workloadStates' | 'now'>;

/** A workload that takes longer to answer is not well. */
const PROBE_MS = 5_000;

/**
 * Notes how a workload is, for people to look at. Idempotent: a later measurement takes the place of the one before.
 * Nothing is noted of one that is gone. @throws UNAVAILABLE
 */
export async function measureWorkload(deps: Deps, workload: Workload, signal: AbortSignal): Promise<void> {
  const { buildId } = workload;
  const measure = await deps.runtime.measure(workload);
  if (measure === null) return;
  const measuredAt = deps.now();
  const before = await deps.workloadStates.find(buildId);
  const health = measure.status === 'running' ? await healthOf(deps, workload, signal) : null;
  const cpuMillis = meanCpuMillis(before, measure, measuredAt);
  await deps.workloadStates.put({ ...measure, buildId, cpuMillis, health, measuredAt });
}

/** By the rule of its release; null for a workload without one. */
async function healthOf(
  { releases, runtime }: Deps,
  workload: Workload,
  signal: AbortSignal,
): Promise<WorkloadHealth | null> {
  const release = await releases.find(workload.releaseId);
  if (release === null) return null;
  const path = release.healthEndpoint;
  const answer = await runtime.probe(workload, path, AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]));
  signal.throwIfAborted();
  return { ok: isHealthy(release, answer), status: answer.status, path };
}
