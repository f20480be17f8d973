import { setTimeout as delay } from 'node:timers/promises';
import { attemptEpoch } from '../../../domain/deploys/epoch.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { ProbeResult, Workload } from '../../../domain/deploys/ports.ts';
import type { Release } from '../../../domain/deploys/release.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { describeServing } from '../active-workload.ts';
import { auditNamespace } from '../audit-namespace.ts';
import type { DeploysDeps } from '../deps.ts';
import { epochOfBuild } from '../epoch-of-build.ts';
import { type ReleaseDeps, releaseOfBuild, type WorkloadDeps, workloadOf } from '../release-of-build.ts';
import type { StepContext } from '../step.ts';

const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
/** How often it is asked whether the workload still runs. */
const LOOK_EVERY_MS = 100;
const DIAGNOSTIC_LINES = 40;

type Deps = ReleaseDeps &
  WorkloadDeps &
  Pick<DeploysDeps, 'runtime' | 'edge' | 'audit' | 'builds' | 'epochs'> & {
    readonly settings: Pick<DeploysDeps['settings'], 'readinessTimeoutMs'>;
  };

/**
 * Starts the new workload, waits until its health endpoint answers, holds it to the limits of its tier, then switches
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
  await waitUntilHealthy(deps, context, workload, release);
  await deps.runtime.applyCpuLimit(workload);
  const target = { workloadId: workload.id, address: workload.address };
  await deps.edge.route(build.service, build.environment, target, attemptEpoch(epoch, context.attempt));
  const url = deps.edge.url(build.service, build.environment);
  onLine(`Traffic of ${url} is routed to the new workload`);
  return { releaseId: release.id, workloadId: workload.id, url };
}

async function waitUntilHealthy(deps: Deps, context: StepContext, workload: Workload, release: Release): Promise<void> {
  const { signal, onLine } = context;
  const startedAt = Date.now();
  const deadline = startedAt + deps.settings.readinessTimeoutMs;
  let last: ProbeResult | null = null;
  let lookedAt = 0;
  for (;;) {
    signal.throwIfAborted();
    const probe = await deps.runtime.probe(workload, release.healthEndpoint, signal);
    if (probe.ok) {
      onLine(`Ready: ${probe.summary}`);
      return;
    }
    if (probe.summary !== last?.summary) onLine(`Not ready: ${probe.summary}`);
    if (probe.status === 404 && last?.status !== 404) onLine(remedyFor(probe, release));
    last = probe;
    const isLate = Date.now() > deadline;
    if (isLate || Date.now() - lookedAt >= LOOK_EVERY_MS) {
      if (!(await deps.runtime.isAlive(workload)))
        return await giveUp(deps, context, { workload, why: 'the container stopped', last, remedy: STOPPED_REMEDY });
      lookedAt = Date.now();
    }
    if (isLate) {
      const after = `no healthy answer within ${Math.round(deps.settings.readinessTimeoutMs / 1000)} seconds`;
      return await giveUp(deps, context, { workload, why: after, last, remedy: remedyFor(probe, release) });
    }
    await delay(pauseAfter(Date.now() - startedAt), undefined, { signal });
  }
}

/** What its author does about a container that runs and is not healthy. */
function remedyFor({ status }: ProbeResult, { healthEndpoint, port }: Release): string {
  if (status === null)
    return `Listen on 0.0.0.0 and on port ${port}, which the variable PORT holds, or declare platform.io/port in catalog-info.yaml.`;
  if (status === 404) {
    return `Answer ${healthEndpoint} with status 200, or declare platform.io/health-endpoint in catalog-info.yaml.`;
  }
  return `Answer ${healthEndpoint} with status 200.`;
}

/** A twentieth of the wait so far: an app ready in a moment is not kept waiting, a slow one is not asked all the time. */
function pauseAfter(waitedMs: number): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, waitedMs / 20));
}

const WRITABLE_REMEDY =
  'It writes to a folder that is read-only: write to /tmp, or name the folder in platform.io/writable-paths in catalog-info.yaml.';

/** What programs print that write to a read-only folder. Node's recursive mkdir says ENOENT there; SQLite has words of its own. */
const WROTE_READ_ONLY =
  /EROFS|read-only file system|ENOENT: .*\bmkdir '|SQLITE_(READONLY|CANTOPEN)|readonly database|unable to open database file/i;

const NETWORK_REMEDY =
  'Services reach the internet alone: for an address of your own network, the operator names it in WORKLOAD_NETWORKS.';

/** What programs print that connect to an address which is closed to workloads: the workload firewall answers "host unreachable". */
const HOST_UNREACHABLE = /EHOSTUNREACH|no route to host|host is unreachable/i;

/** What the last lines of a program tell about its cause, and what to do. */
const REMEDIES_BY_OUTPUT = [
  { printed: WROTE_READ_ONLY, remedy: WRITABLE_REMEDY },
  { printed: HOST_UNREACHABLE, remedy: NETWORK_REMEDY },
];

const STOPPED_REMEDY = 'The last output of the container says why.';

interface Unhealthy {
  readonly workload: Workload;
  readonly why: string;
  readonly last: ProbeResult;
  readonly remedy?: string;
}

async function giveUp(deps: Deps, context: StepContext, { workload, why, last, remedy }: Unhealthy): Promise<never> {
  const lines = await deps.runtime.tail(workload, DIAGNOSTIC_LINES);
  await context.diagnose('Last output of the container', lines);
  const serving = await describeServing(deps, context.build, context.signal);
  const byOutput = REMEDIES_BY_OUTPUT.filter(({ printed }) => lines.some((line) => printed.test(line)));
  const remedies = [...byOutput.map((known) => known.remedy), remedy];
  const said = [`The readiness probe failed, ${why}. Last probe: ${last.summary}.`, ...remedies, serving];
  const message = said.filter((sentence) => (sentence ?? null) !== null).join(' ');
  throw new FairleadError('HEALTH_CHECK_FAILED', message, { details: { probe: 'readiness', lastProbe: last.summary } });
}
