import { setTimeout as delay } from 'node:timers/promises';
import { FALLBACK_ENDPOINT, type HealthCheck, isHealthy, mayFallBack } from '../../domain/deploys/health.ts';
import type { ProbeResult, Workload } from '../../domain/deploys/ports.ts';
import type { Release } from '../../domain/deploys/release.ts';
import { FairleadError } from '../../domain/errors.ts';
import { describeServing } from './active-workload.ts';
import type { DeploysDeps } from './deps.ts';
import type { StepContext } from './step.ts';
import { createStuckCheck } from './stuck-workload.ts';

const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
/** How often it is asked whether the workload still runs. */
const LOOK_EVERY_MS = 100;
/** How often its output is read while nothing listens. */
const READ_EVERY_MS = 1_000;
const DIAGNOSTIC_LINES = 40;
/** A build that waits longer gives its slot to those that have something to build. */
const KEEP_SLOT_MS = 5_000;

const ANY_ANSWER = ', which is enough: the catalog declares no health endpoint, so any answer below 500 counts';
const FALL_BACK = `The catalog declares no health endpoint, so ${FALLBACK_ENDPOINT} is asked, and any answer below 500 counts. To have more checked, declare platform.io/health-endpoint in catalog-info.yaml.`;

export type ReadinessDeps = Pick<DeploysDeps, 'runtime' | 'edge' | 'releases' | 'workflows'> & {
  readonly settings: Pick<DeploysDeps['settings'], 'readinessTimeoutMs'>;
};

/**
 * Waits until the workload of a release passes its health check. Where nobody declared an endpoint, and that of the
 * framework's habit does not exist, it is found out where the service answers; the release remembers it.
 * @throws HEALTH_CHECK_FAILED as soon as it is known that it will not; the abort reason
 */
export async function waitUntilReady(
  deps: ReadinessDeps,
  context: StepContext,
  workload: Workload,
  release: Release,
): Promise<void> {
  const { signal, onLine } = context;
  const startedAt = Date.now();
  const problemOf = watch(deps, workload, release, startedAt);
  let check: HealthCheck = release;
  let last: ProbeResult | null = null;
  const giveSlotBack = slotOfSlow(deps, context, startedAt);
  for (;;) {
    signal.throwIfAborted();
    const probe = await deps.runtime.probe(workload, check.healthEndpoint, signal);
    if (isHealthy(check, probe)) {
      if (check !== release) await deps.releases.setHealthEndpoint(release.id, check.healthEndpoint);
      onLine(`Ready: ${probe.summary}${probe.ok ? '' : ANY_ANSWER}`);
      return;
    }
    if (probe.summary !== last?.summary) onLine(`Not ready: ${probe.summary}`);
    if (mayFallBack(check, probe)) {
      onLine(FALL_BACK);
      check = { ...check, healthEndpoint: FALLBACK_ENDPOINT };
      continue;
    }
    if (probe.status === 404 && last?.status !== 404) onLine(remedyFor(probe, release));
    last = probe;
    const problem = await problemOf(probe);
    if (problem !== null) return await giveUp(deps, context, { workload, last: probe, ...problem });
    await giveSlotBack();
    await delay(pauseAfter(Date.now() - startedAt), undefined, { signal });
  }
}

/** @returns gives the slot of the build back, once, when it has waited for a while */
function slotOfSlow({ workflows }: ReadinessDeps, { build }: StepContext, startedAt: number): () => Promise<void> {
  let hasSlot = true;
  return async () => {
    if (!hasSlot || Date.now() - startedAt < KEEP_SLOT_MS) return;
    hasSlot = false;
    // The end of the build gives it back in any case.
    await workflows.releaseSlot(build.buildId).catch(() => undefined);
  };
}

interface Problem {
  readonly why: string;
  readonly remedy: string;
}

/** @returns why a workload that a probe found not ready will not get ready, or is late; null while it may */
function watch(
  { runtime, settings }: ReadinessDeps,
  workload: Workload,
  release: Release,
  startedAt: number,
): (probe: ProbeResult) => Promise<Problem | null> {
  const stuck = createStuckCheck(Date.now);
  let lookedAt = 0;
  let readAt = startedAt;
  return async (probe) => {
    const now = Date.now();
    const isLate = now > startedAt + settings.readinessTimeoutMs;
    if (isLate || now - lookedAt >= LOOK_EVERY_MS) {
      if (!(await runtime.isAlive(workload))) return { why: 'the container stopped', remedy: STOPPED_REMEDY };
      lookedAt = now;
    }
    if (probe.status === null && now - readAt >= READ_EVERY_MS) {
      const why = stuck(await runtime.tail(workload, DIAGNOSTIC_LINES));
      if (why !== null) return { why, remedy: STOPPED_REMEDY };
      readAt = now;
    }
    if (!isLate) return null;
    const why = `no healthy answer within ${Math.round(settings.readinessTimeoutMs / 1000)} seconds`;
    return { why, remedy: remedyFor(probe, release) };
  };
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

interface Unhealthy extends Problem {
  readonly workload: Workload;
  readonly last: ProbeResult;
}

async function giveUp(
  deps: ReadinessDeps,
  context: StepContext,
  { workload, why, last, remedy }: Unhealthy,
): Promise<never> {
  const lines = await deps.runtime.tail(workload, DIAGNOSTIC_LINES);
  await context.diagnose('Last output of the container', lines);
  const serving = await describeServing(deps, context.build, context.signal);
  const byOutput = REMEDIES_BY_OUTPUT.filter(({ printed }) => lines.some((line) => printed.test(line)));
  const remedies = [...byOutput.map((known) => known.remedy), remedy];
  const said = [`The readiness probe failed, ${why}. Last probe: ${last.summary}.`, ...remedies, serving];
  const message = said.filter((sentence) => (sentence ?? null) !== null).join(' ');
  throw new FairleadError('HEALTH_CHECK_FAILED', message, { details: { probe: 'readiness', lastProbe: last.summary } });
}
