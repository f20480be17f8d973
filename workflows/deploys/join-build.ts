import { type CancellationScope, patched } from '@temporalio/workflow';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import type { PausedBuild } from '../../domain/deploys/build-wait.ts';
import { decideTrigger, isHeldToSame } from '../../domain/deploys/deduplicate.ts';
import { local, resolveHead } from './activity-proxies.ts';
import type { OpenBuild } from './idle-build.ts';

/** The builds of one service and environment that have not ended. */
export interface BuildsInFlight {
  current: RunningBuild | null;
  /** At most one: a newer request makes an older one that waits obsolete. */
  waiting: OpenBuild | null;
  /** Waits for a decision, and so holds up nothing: repairs and restarts go on. None when a request of people came since. */
  paused: PausedBuild | null;
  /** While the record of a restart is opened: what waits for a decision does not go on meanwhile. */
  isOpeningRestart: boolean;
  /** Ids of those that are opened or ended right now, besides the ones above: their records are open meanwhile. */
  readonly atHand: Set<string>;
}

export interface RunningBuild extends OpenBuild {
  readonly scope: CancellationScope;
  /** True once it was asked to end, by a cancellation or a newer build. */
  calledOff: boolean;
}

/**
 * The build in flight that makes what is asked for already. Looks at the branch where it has to.
 * @returns its id; null when there is none
 * @throws what `resolveHead` does
 */
export async function findSameBuild(builds: BuildsInFlight, request: BuildRequest): Promise<string | null> {
  const inFlight = newestInFlight(builds);
  if (inFlight === null || !mayBeJoined(builds, inFlight.buildId)) return null;
  if (!(await isSameBuild(inFlight, request))) return null;
  const { buildId } = inFlight;
  // It may have ended, or been asked to, while others were asked: then there is nothing to attach to.
  return newestInFlight(builds)?.buildId === buildId && mayBeJoined(builds, buildId) ? buildId : null;
}

export function idsInFlight({ waiting, current, paused }: BuildsInFlight): readonly string[] {
  return [waiting, current, paused].flatMap((build) => build?.request.buildId ?? []);
}

/** Does what opens or ends a build, which is known as long as that lasts. */
export async function whileAtHand<T>(
  { atHand }: Pick<BuildsInFlight, 'atHand'>,
  buildId: string,
  work: () => Promise<T>,
): Promise<T> {
  atHand.add(buildId);
  try {
    return await work();
  } finally {
    atHand.delete(buildId);
  }
}

/** True of a build that was asked for before, in an earlier attempt of the same request. */
export function isInFlight(builds: BuildsInFlight, buildId: string): boolean {
  return idsInFlight(builds).includes(buildId);
}

function newestInFlight({ waiting, current, paused }: BuildsInFlight): BuildRequest | null {
  const newest = waiting ?? current;
  // A restart beside a build that waits for a decision makes nothing that people ask for.
  const isRestart = newest?.request.kind === 'restart';
  return (isRestart ? (paused ?? newest) : (newest ?? paused))?.request ?? null;
}

/** True where a restart is to come before the build goes on that waits for a decision. */
export function isRestartNext({ waiting }: Pick<BuildsInFlight, 'waiting'>): boolean {
  return waiting?.request.kind === 'restart';
}

/** False for a build that was asked to end: it deploys nothing, so that the same is built once more, after its end. */
export function mayBeJoined({ current }: BuildsInFlight, buildId: string): boolean {
  return current?.request.buildId !== buildId || !current.calledOff || !patched('join-no-called-off-build');
}

async function isSameBuild(inFlight: BuildRequest, request: BuildRequest): Promise<boolean> {
  if (!isHeldToSame(inFlight, request) && patched('compare-conventions')) return false;
  const { buildId, kind, source } = inFlight;
  const progress = await local.readSourceProgress(buildId);
  const decision = decideTrigger({ kind, source, ...progress }, request);
  const { source: wanted, serviceId } = request;
  if (decision !== 'compare-head' || wanted.kind !== 'git') return decision === 'attach';
  return (await resolveHead({ url: wanted.url, branch: wanted.branch, serviceId })).commit === progress.commitSha;
}
