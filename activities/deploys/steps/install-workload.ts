import { attemptEpoch } from '../../../domain/deploys/epoch.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { auditNamespace } from '../audit-namespace.ts';
import type { DeploysDeps } from '../deps.ts';
import { epochOfBuild } from '../epoch-of-build.ts';
import { type ReleaseDeps, releaseOfBuild, type WorkloadDeps, workloadOf } from '../release-of-build.ts';
import type { StepContext } from '../step.ts';
import { type ReadinessDeps, waitUntilReady } from '../wait-until-ready.ts';

type Deps = ReleaseDeps & WorkloadDeps & ReadinessDeps & Pick<DeploysDeps, 'audit' | 'builds' | 'epochs'>;

/**
 * Starts the new workload, waits until its health check passes, holds it to the limits of its tier, then switches
 * the public route to it. The old workload serves until the switch and is stopped later. Idempotent: one workload for each build, adopted by a second
 * attempt; limits and route are states that are set.
 * @throws CONFLICT when something newer acts on the service, and then the route stays as it is
 */
export async function installWorkload(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build, onLine, signal } = context;
  const [epoch, release] = await Promise.all([epochOfBuild(deps, build), releaseOfBuild(deps, build, context.facts)]);
  const spec = await workloadOf(deps, release, build.buildId);
  onLine(
    `Starting ${spec.image} with ${spec.tier.cpuLimitMillis / 1000} CPU and ${spec.tier.memoryLimitBytes / 1024 ** 2} MiB`,
  );
  if (release.oauthClient && spec.env.IDP_CLIENT_SECRET === undefined) {
    context.warn(`${build.service} declares spec.auth and has no client credentials now: deploy it to get new ones.`);
  }
  const workload = await deps.runtime.start(spec, { signal, onLine });
  await auditNamespace(deps, build);
  await waitUntilReady(deps, context, workload, release);
  await deps.runtime.applyCpuLimit(workload);
  const target = { workloadId: workload.id, address: workload.address };
  await deps.edge.route(build.service, build.environment, target, attemptEpoch(epoch, context.attempt));
  const url = deps.edge.url(build.service, build.environment);
  onLine(`Traffic of ${url} is routed to the new workload`);
  return { releaseId: release.id, workloadId: workload.id, url };
}
