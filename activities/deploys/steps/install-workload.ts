import { consumedVariable } from '../../../domain/databases/consumer.ts';
import { isReinstall } from '../../../domain/deploys/build-kind.ts';
import { attemptEpoch } from '../../../domain/deploys/epoch.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { Listener } from '../../../domain/deploys/listening.ts';
import type { Release } from '../../../domain/deploys/release.ts';
import type { Workload, WorkloadSpec } from '../../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { auditNamespace } from '../audit-namespace.ts';
import type { DeploysDeps } from '../deps.ts';
import { epochOfBuild } from '../epoch-of-build.ts';
import type { PortChoice } from '../port-check.ts';
import { type ReleaseDeps, releaseOfBuild, type WorkloadDeps, withoutLogin, workloadOf } from '../release-of-build.ts';
import type { StepContext } from '../step.ts';
import { type ReadinessDeps, waitUntilReady } from '../wait-until-ready.ts';

type Deps = ReleaseDeps & WorkloadDeps & ReadinessDeps & Pick<DeploysDeps, 'audit' | 'builds' | 'epochs'>;

/**
 * Starts the new workload, waits until its health check passes at the port where it listens, holds it to the limits of its tier, then switches
 * the public route to it. The old workload serves until the switch and is stopped later. Idempotent: one workload for each build, adopted by a second
 * attempt; limits and route are states that are set.
 * @throws CONFLICT when something newer acts on the service, and then the route stays as it is; CONFLICT (retryable) when a
 *   login of the build has ended meanwhile
 */
export async function installWorkload(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build, onLine } = context;
  const [epoch, release] = await Promise.all([epochOfBuild(deps, build), releaseOfBuild(deps, build, context.facts)]);
  const workload = await startReady(deps, context, release, release.portRule === 'declared' ? 'fixed' : 'free');
  await deps.runtime.applyCpuLimit(workload);
  const target = { serviceId: build.serviceId, workloadId: workload.id, address: workload.address };
  await deps.edge.route(build.service, build.environment, target, attemptEpoch(epoch, context.attempt));
  const url = deps.edge.url(build.service, build.environment);
  onLine(`Traffic of ${url} is routed to the new workload`);
  return { releaseId: release.id, workloadId: workload.id, url };
}

/**
 * Starts the workload of a release and waits until it is ready. Where the service turns out to listen elsewhere, or to need
 * a folder, the release remembers it, and the workload is started anew.
 */
async function startReady(deps: Deps, context: StepContext, release: Release, choice: PortChoice): Promise<Workload> {
  const { build, onLine, signal } = context;
  const spec = await workloadOf(deps, release, build.buildId);
  requireLogins(context, release, spec);
  onLine(
    `Starting ${spec.image} with ${spec.tier.cpuLimitMillis / 1000} CPU and ${spec.tier.memoryLimitBytes / 1024 ** 2} MiB`,
  );
  if (release.oauthClient && spec.env.IDP_CLIENT_SECRET === undefined) {
    context.warn(`${build.service} declares spec.auth and has no client credentials now: deploy it to get new ones.`);
  }
  if (release.portRule === 'found' || release.onLoopback) {
    const where = release.onLoopback ? ' on the loopback of its container' : '';
    onLine(`It is asked at port ${release.port}, where it was found to listen${where}`);
  }
  const workload = await deps.runtime.start(spec, { signal, onLine });
  await auditNamespace(deps, build);
  const found = await waitUntilReady(deps, context, { workload, release, choice });
  if (found === null) return workload;
  if ('folder' in found) {
    const { folder } = found;
    context.warn(saysFolder(folder));
    await deps.releases.addFoundFolder(release.id, folder);
    const foundFolders = [...release.foundFolders, folder];
    return await startReady(deps, context, { ...release, foundFolders }, choice);
  }
  context.warn(saysFound(found, release));
  await deps.releases.setListener(release.id, found);
  return await startReady(deps, context, { ...release, ...found }, 'fixed');
}

function saysFolder(folder: string): string {
  return `The service makes the folder ${folder}, and nothing can be written there: it has a folder in memory in that place, empty at each start. What must last belongs in a database or an object store; to say that this is meant, name the folder with its whole path in platform.io/writable-paths in catalog-info.yaml.`;
}

function saysFound({ port, onLoopback }: Listener, { port: asked }: Release): string {
  const wrong = port === asked ? '' : `, not on ${asked}, which PORT holds`;
  if (onLoopback) {
    return `The service listens on port ${port} of its container's loopback only${wrong}: connections are forwarded to it there. Listen on 0.0.0.0 and on PORT, and nothing has to forward them.`;
  }
  return `The service listens on port ${port}${wrong}: port ${port} is used from now on. Listen on PORT, or declare platform.io/port: "${port}" in catalog-info.yaml.`;
}

/** A deploy made sure of the logins before. What is installed again goes on without those that ended since it was made. */
function requireLogins({ build, warn }: StepContext, release: Release, spec: WorkloadSpec): void {
  const variables = withoutLogin(release, spec).map(consumedVariable).join(', ');
  if (variables === '') return;
  if (isReinstall(build.kind)) {
    warn(
      `${variables} is not given: the login of ${build.service} to that database has ended. Deploy it to get another.`,
    );
    return;
  }
  const message = `${variables}: the login of ${build.service} to that database ended while it was deployed: deploy again.`;
  throw new FairleadError('CONFLICT', message, { retryable: true });
}
