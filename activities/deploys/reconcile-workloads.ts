import type { DeployTarget, Workload } from '../../domain/deploys/ports.ts';
import type { Release } from '../../domain/deploys/release.ts';
import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import { targetKey } from '../../domain/ids.ts';
import type { DeploysDeps } from './deps.ts';
import { eachOnItsOwn, throwFailures } from './each-on-its-own.ts';
import { workloadOf } from './release-of-build.ts';

/** Services that are brought back side by side. */
const LANES = 4;
/** Long enough to pull an image; one that hangs keeps its lane from the others no longer than this. */
const RECOVERY_LIMIT_MS = 180_000;
const STOP_GRACE_SECONDS = 10;

/**
 * Starts the workload of every active release that is not running, and points its route at it. Every workload that no
 * build is starting is held to the limits of its tier. Idempotent: sets states.
 *
 * @returns ids of the releases whose workload was started
 * @throws UNAVAILABLE naming the services that could not be brought back, after all others were
 */
export async function reconcileWorkloads(
  deps: DeploysDeps,
  signal: AbortSignal,
  { recoveryLimitMs = RECOVERY_LIMIT_MS } = {},
): Promise<string[]> {
  const restarted: string[] = [];
  const workloads = await deps.runtime.listAll();
  const unlimited = await eachOnItsOwn(workloads, {
    nameOf: (workload) => `limits of ${targetKey(workload.service, workload.environment)}`,
    work: (workload) => limitUnlessStarting(deps, workload),
    signal,
  });
  const byRelease = Map.groupBy(workloads, ({ releaseId }) => releaseId);
  const unserved = await eachOnItsOwn(
    eachItem((page) => deps.releases.listTargets(page)),
    {
      nameOf: ({ service, environment }) => targetKey(service, environment),
      work: async (target) => {
        const release = await bringBack(deps, target, { byRelease, signal, recoveryLimitMs });
        if (release !== null) restarted.push(release);
      },
      signal,
      lanes: LANES,
    },
  );
  throwFailures('Services could not be restarted', [...unserved, ...unlimited], { retryable: false });
  return restarted;
}

/**
 * Applies the CPU limit to a workload whose build ended, or whose worker was killed, between start and readiness. The
 * state of the build is read after its workload was listed: a build that is not open then has ended.
 */
async function limitUnlessStarting({ builds, runtime }: DeploysDeps, workload: Workload): Promise<void> {
  if ((await builds.stateOf(workload.buildId)) !== 'open') await runtime.applyCpuLimit(workload);
}

interface Recovery {
  /** The workloads there were at first. */
  readonly byRelease: ReadonlyMap<string, readonly Workload[]>;
  readonly signal: AbortSignal;
  readonly recoveryLimitMs: number;
}

/** @returns the id of the release whose workload had to be started; null when it runs, or a build is at work */
async function bringBack(
  deps: DeploysDeps,
  target: DeployTarget,
  { byRelease, signal, recoveryLimitMs }: Recovery,
): Promise<string | null> {
  const release = await deps.releases.active(target.service, target.environment);
  if (release === null || (await hasOpenBuild(deps, target))) return null;
  const routed = await deps.edge.current(target.service, target.environment);
  const serves = ({ id, address, running }: Workload) =>
    running && routed?.workloadId === id && routed.address === address;
  if (byRelease.get(release.id)?.some(serves)) return null;
  const limit = AbortSignal.timeout(recoveryLimitMs);
  try {
    return await startAndRoute(deps, release, AbortSignal.any([signal, limit]));
  } catch (cause) {
    if (!limit.aborted) throw cause;
    throw new FairleadError('UNAVAILABLE', `not started within ${recoveryLimitMs / 1000} seconds`, { cause });
  }
}

async function startAndRoute(deps: DeploysDeps, release: Release, signal: AbortSignal): Promise<string | null> {
  // Those seen at first may be gone by now, and others there.
  const present = (await deps.runtime.list(release.service, release.environment)).filter(
    ({ releaseId }) => releaseId === release.id,
  );
  const workload = present.find(({ running }) => running) ?? present[0];
  const running = await bringUp(deps, release, workload, signal);
  const isNew = workload?.running !== true;
  if (!(await isStillActive(deps, release))) {
    // A deploy, or the removal of the service, came in between: where the route goes is theirs to say.
    if (isNew) await deps.runtime.remove(running, STOP_GRACE_SECONDS);
    return null;
  }
  await deps.edge.route(release.service, release.environment, { workloadId: running.id, address: running.address });
  if (!isNew) return null;
  // Nobody waits here until it is ready: it starts within the limits of its tier.
  await deps.runtime.applyCpuLimit(running);
  return release.id;
}

async function bringUp(
  deps: DeploysDeps,
  release: Release,
  workload: Workload | undefined,
  signal: AbortSignal,
): Promise<Workload> {
  if (workload === undefined) {
    const spec = await workloadOf(deps, release, release.buildId);
    return await deps.runtime.start(spec, { signal, onLine: () => undefined });
  }
  return workload.running ? workload : await deps.runtime.resume(workload, signal);
}

async function isStillActive(deps: DeploysDeps, release: Release): Promise<boolean> {
  const active = await deps.releases.active(release.service, release.environment);
  return active?.id === release.id && !(await hasOpenBuild(deps, release));
}

/** A deploy in progress decides itself where the route goes. */
async function hasOpenBuild({ builds }: DeploysDeps, { service, environment }: DeployTarget): Promise<boolean> {
  return (await builds.listOpen({ service, environment }, { cursor: null, limit: 1 })).items.length > 0;
}
