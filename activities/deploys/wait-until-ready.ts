import { setTimeout as delay } from 'node:timers/promises';
import { isReservedVariable } from '../../domain/config/variable-names.ts';
import { databaseVariables, engineOfVariable } from '../../domain/databases/engines.ts';
import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import { namesError } from '../../domain/deploys/error-lines.ts';
import { remedyOf } from '../../domain/deploys/failure-remedies.ts';
import { FALLBACK_ENDPOINT, type HealthCheck, isHealthy, mayFallBack } from '../../domain/deploys/health.ts';
import { findPort, isLikelyForUsers, type Listener, type Unreachable } from '../../domain/deploys/listening.ts';
import { type KnownDatabases, settingThem } from '../../domain/deploys/missing-variables.ts';
import { unmadeFolder } from '../../domain/deploys/refused-write.ts';
import type { Release } from '../../domain/deploys/release.ts';
import { unusedContainerFile } from '../../domain/deploys/unused-container-file.ts';
import type { ProbeResult, Workload } from '../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../domain/errors.ts';
import { cutBeforeRedaction } from '../../domain/logs/cut-line.ts';
import { describeServing } from './active-workload.ts';
import type { DeploysDeps } from './deps.ts';
import { createPortCheck, type PortChoice } from './port-check.ts';
import type { StepContext } from './step.ts';
import { createStuckCheck } from './stuck-workload.ts';

const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
/** How often it is asked whether the workload still runs. */
const LOOK_EVERY_MS = 100;
/** How often its output is read while nothing listens. */
const READ_EVERY_MS = 1_000;
const DIAGNOSTIC_LINES = 40;
/** Each is found by a start that fails. */
const MOST_FOUND_FOLDERS = 4;
/** What a failure quotes of a line. */
const MOST_CHARACTERS = 300;
/** Variables that every workload has. */
const GIVEN_TO_ALL = ['NODE_ENV', 'ENVIRONMENT', 'PORT', 'HOME'];
/** A build that waits longer gives its slot to those that have something to build. */
const KEEP_SLOT_MS = 5_000;

const ANY_ANSWER = ', which is enough: the catalog declares no health endpoint, so any answer below 500 counts';
const FALL_BACK = `The catalog declares no health endpoint, so ${FALLBACK_ENDPOINT} is asked, and any answer below 500 counts. To have more checked, declare platform.io/health-endpoint in catalog-info.yaml.`;

/** Setting the clock of the machine neither ends a wait nor draws it out. */
const monotonicMs = (): number => performance.now();

export type ReadinessDeps = Pick<DeploysDeps, 'runtime' | 'edge' | 'releases' | 'workflows'> & {
  readonly settings: Pick<DeploysDeps['settings'], 'readinessTimeoutMs'>;
};

/** What was found out about a service: where it is to be asked, or a folder that it lacks. */
export type Finding = Listener | { readonly folder: string };

/**
 * Waits until the workload of a release passes its health check. Where nobody declared an endpoint, and that of the
 * framework's habit does not exist, it is found out where the service answers; the release remembers it.
 * @returns null once it is ready; else what was found out about its release, whose workload is to be started anew
 * @throws HEALTH_CHECK_FAILED as soon as it is known that it will not; the abort reason
 */
export async function waitUntilReady(
  deps: ReadinessDeps,
  context: StepContext,
  { workload, release, choice }: { workload: Workload; release: Release; choice: PortChoice },
): Promise<Finding | null> {
  const { signal, onLine } = context;
  const startedAt = monotonicMs();
  const problemOf = watch(deps, workload, { release, choice, startedAt, onLine });
  let check: HealthCheck = release;
  let last: ProbeResult | null = null;
  const giveSlotBack = slotOfSlow(deps, context, startedAt);
  for (;;) {
    signal.throwIfAborted();
    const probe = await deps.runtime.probe(workload, check.healthEndpoint, signal);
    if (isHealthy(check, probe)) {
      const inFront = await serverInFront(deps, workload, release);
      if (inFront !== null) return inFront;
      await remember(deps, release, check);
      onLine(readyLine(probe));
      return null;
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
    if (problem !== null && isFinding(problem)) return problem;
    if (problem !== null) return await giveUp(deps, context, { workload, release, last: probe, ...problem });
    await giveSlotBack();
    await delay(pauseAfter(monotonicMs() - startedAt), undefined, { signal });
  }
}

/** The folder for want of which the service stopped; null where none did, or one that is there already. */
function lackedFolder({ readOnlyRoot, writablePaths, foundFolders }: Release, lines: readonly string[]): string | null {
  if (!readOnlyRoot || foundFolders.length === MOST_FOUND_FOLDERS) return null;
  const folder = unmadeFolder(lines);
  return folder === null || [...writablePaths, ...foundFolders].includes(folder) ? null : folder;
}

async function remember({ releases }: ReadinessDeps, release: Release, check: HealthCheck): Promise<void> {
  if (check !== release) await releases.setHealthEndpoint(release.id, check.healthEndpoint);
}

/** The server that opened in front of one that is forwarded to; null where there is none, or its author named the port. */
async function serverInFront(
  { runtime }: ReadinessDeps,
  workload: Workload,
  { port, portRule, onLoopback }: Release,
): Promise<Listener | null> {
  if (!onLoopback || portRule === 'declared') return null;
  const finding = findPort((await runtime.listening(workload)) ?? [], { port, onLoopback: false });
  if (finding?.kind !== 'other-port' || !isLikelyForUsers(finding.port)) return null;
  return { port: finding.port, portRule: 'found', onLoopback: false };
}

function readyLine({ summary, ok }: ProbeResult): string {
  return `Ready: ${summary}${ok ? '' : ANY_ANSWER}`;
}

/** @returns gives the slot of the build back, once, when it has waited for a while */
function slotOfSlow({ workflows }: ReadinessDeps, { build }: StepContext, startedAt: number): () => Promise<void> {
  let hasSlot = true;
  return async () => {
    if (!hasSlot || monotonicMs() - startedAt < KEEP_SLOT_MS) return;
    hasSlot = false;
    // The end of the build gives it back in any case.
    await workflows.releaseSlot(build.buildId).catch(() => undefined);
  };
}

interface Problem extends Unreachable {
  /** True where its remedy is the right one, whatever the program printed. */
  readonly isCertain?: boolean;
}

const isFinding = (found: Unreachable | Finding): found is Finding => !('remedy' in found);

interface Watched extends Pick<EffectContext, 'onLine'> {
  readonly release: Release;
  readonly choice: PortChoice;
  readonly startedAt: number;
}

/** @returns why a workload that a probe found not ready will not get ready, or is late, or what it needs to; null while it may */
function watch(
  { runtime, settings }: Pick<ReadinessDeps, 'runtime' | 'settings'>,
  workload: Workload,
  { release, choice, startedAt, onLine }: Watched,
): (probe: ProbeResult) => Promise<Problem | Finding | null> {
  const listensElsewhere = createPortCheck(monotonicMs, release, choice, onLine);
  const stuck = createStuckCheck(monotonicMs);
  const stopped = (why: string, lines: readonly string[]): Problem | Finding => {
    const folder = lackedFolder(release, lines);
    return folder === null ? { why, remedy: STOPPED_REMEDY } : { folder };
  };
  const lookInside = async (isLate: boolean): Promise<Problem | Finding | null> => {
    const [lines, sockets] = await Promise.all([runtime.tail(workload, DIAGNOSTIC_LINES), runtime.listening(workload)]);
    const why = stuck(lines);
    const elsewhere = listensElsewhere(sockets ?? [], lines, isLate);
    if (elsewhere !== null) return isFinding(elsewhere) ? elsewhere : { ...elsewhere, isCertain: true };
    return why === null ? null : stopped(why, lines);
  };
  let lookedAt = Number.NEGATIVE_INFINITY;
  let readAt = startedAt;
  return async (probe) => {
    const now = monotonicMs();
    const isLate = now > startedAt + settings.readinessTimeoutMs;
    if (isLate || now - lookedAt >= LOOK_EVERY_MS) {
      if (!(await runtime.isAlive(workload))) {
        return stopped('the container stopped', await runtime.tail(workload, DIAGNOSTIC_LINES));
      }
      lookedAt = now;
    }
    if (probe.status === null && (isLate || now - readAt >= READ_EVERY_MS)) {
      const found = await lookInside(isLate);
      if (found !== null) return found;
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

const STOPPED_REMEDY = 'The last output of the container says why.';

interface Unhealthy extends Problem {
  readonly workload: Workload;
  readonly release: Release;
  readonly last: ProbeResult;
}

async function giveUp(
  deps: ReadinessDeps,
  context: StepContext,
  { workload, release, why, last, remedy, isCertain = false }: Unhealthy,
): Promise<never> {
  const lines = await deps.runtime.tail(workload, DIAGNOSTIC_LINES);
  await context.diagnose('Last output of the container', lines);
  const serving = await describeServing(deps, context.build, context.signal);
  const what = `The readiness probe failed, ${why}.${isCertain ? '' : ` Last probe: ${last.summary}.`}`;
  const known = isCertain ? remedy : remedyOf('start', lines, databasesOf(context, release));
  const advice = known === null ? guesses(context, { release, remedy, lines }) : [known];
  const ofAuthor = isCertain ? null : unusedContainerFile(context.facts);
  const message = [what, ...advice, ofAuthor, serving].filter((line) => line !== null).join('\n');
  throw new FairleadError('HEALTH_CHECK_FAILED', message, { details: { probe: 'readiness', lastProbe: last.summary } });
}

/** Of a program that stopped for no known cause: the first error that it printed, and the variables that it may lack. */
function guesses(
  context: StepContext,
  { release, remedy, lines }: { release: Release; remedy: string; lines: readonly string[] },
): readonly string[] {
  if (remedy !== STOPPED_REMEDY) return [remedy];
  const error = lines.find(namesError)?.trim();
  const silent = lines.length === 0 ? 'It printed nothing.' : remedy;
  const printed = error === undefined ? silent : `It printed: ${cutBeforeRedaction(error, MOST_CHARACTERS)}`;
  const { file, names } = context.facts.exampleVariables ?? { file: '', names: [] };
  const ofDatabases = release.databases.flatMap(databaseVariables);
  const own = [...Object.keys(release.config), ...Object.keys(release.secrets)];
  const given = new Set([...own, ...ofDatabases, ...GIVEN_TO_ALL]);
  // What else is kept for the platform is no variable of the service's own.
  const unset = names.filter(
    (name) => !given.has(name) && (!isReservedVariable(name) || engineOfVariable(name) !== null),
  );
  if (unset.length === 0) return [printed];
  return [
    printed,
    `${file} names variables that are not set: ${unset.join(', ')}. ${settingThem(unset, databasesOf(context, release))}`,
  ];
}

/** A rollback has no catalog at hand. */
function databasesOf({ facts: { catalog } }: StepContext, { databases: given }: Release): KnownDatabases | null {
  return catalog === undefined ? null : { declared: catalog.databases, given };
}
