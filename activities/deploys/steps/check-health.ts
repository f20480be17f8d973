import { setTimeout as delay } from 'node:timers/promises';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { isHealthy } from '../../../domain/deploys/health.ts';
import type { Release } from '../../../domain/deploys/release.ts';
import type { ProbeResult } from '../../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import { type ReleaseDeps, releaseOfBuild } from '../release-of-build.ts';
import type { StepContext } from '../step.ts';

const CHECK_FOR_MS = 20_000;
const PROBE_INTERVAL_MS = 200;

type Deps = ReleaseDeps & Pick<DeploysDeps, 'edge'>;

/**
 * Asks the health endpoint through the public route and compares the commit it reports with the one installed
 * (spec 2, "Variables injected into every pod"): another commit, or none, is a warning. Reads only.
 */
export async function checkHealth(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build, onLine } = context;
  const release = await releaseOfBuild(deps, build, context.facts);
  const probe = await probeUntilHealthy(deps, context, release);
  onLine(`Healthy through the public route: ${probe.summary}`);
  if (release.commitSha === null) return {};
  const healthReportsCommit = probe.commit === release.commitSha;
  if (!healthReportsCommit) {
    const reported = probe.commit === null ? 'reports no commit' : `reports commit ${probe.commit}`;
    const text = `${release.healthEndpoint} ${reported}; it should return GIT_COMMIT (${release.commitSha}) as "commit".`;
    // Of a page nobody expects a commit: the log says it, and the sum of the build does not.
    if (probe.commit === null) onLine(text, 'warn');
    else context.warn(text);
  }
  return { healthReportsCommit };
}

async function probeUntilHealthy(deps: Deps, context: StepContext, release: Release): Promise<ProbeResult> {
  const { service, environment } = context.build;
  const deadline = performance.now() + CHECK_FOR_MS;
  for (;;) {
    const probe = await deps.edge.probe(service, environment, release.healthEndpoint, context.signal);
    // Without a route it is the router that answers 404.
    if (isHealthy(release, probe) && (await deps.edge.current(service, environment)) !== null) return probe;
    if (performance.now() > deadline) {
      const message = `The public health check failed: ${probe.summary}.`;
      throw new FairleadError('HEALTH_CHECK_FAILED', message, {
        details: { probe: 'public', lastProbe: probe.summary },
      });
    }
    await delay(PROBE_INTERVAL_MS, undefined, { signal: context.signal });
  }
}
