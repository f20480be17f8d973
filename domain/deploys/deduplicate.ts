import type { BuildRequest, BuildSource } from './build.ts';
import { type BuildKind, isReinstall } from './build-kind.ts';

/** A build of the same service and environment that has not ended, as its coordinator knows it. */
export interface InFlightBuild {
  readonly kind: BuildKind;
  readonly source: BuildSource;
  /** True once the source is fetched. */
  readonly cloned: boolean;
  /** Known once cloned; null for an uploaded archive. */
  readonly commitSha: string | null;
}

export type TriggerDecision =
  /** The request is already being built: attach to it. */
  | 'attach'
  /** Depends on where the branch is now: resolve its head and compare it with the commit being built. */
  | 'compare-head'
  /** Something else is asked for: a new build, and the one in flight is obsolete unless it is installing. */
  | 'new';

/**
 * Decides whether a deploy request is already being built (spec 2, "Build status"): a build that has not cloned yet
 * always counts, one that has counts only if its commit is still the branch head. Only builds of the same thing are
 * compared: another URL, branch, pinned commit or archive, a rollback, a restart or a retry is always something new.
 */
export function decideTrigger(
  inFlight: InFlightBuild,
  request: { kind: BuildKind; source: BuildSource },
): TriggerDecision {
  if (request.kind !== 'deploy' || isReinstall(inFlight.kind)) return 'new';
  const { source } = request;
  if (source.kind === 'archive' || inFlight.source.kind === 'archive') {
    return source.kind === 'archive' && inFlight.source.kind === 'archive' && source.sha256 === inFlight.source.sha256
      ? 'attach'
      : 'new';
  }
  if (source.url !== inFlight.source.url) return 'new';
  if (source.commit !== null) return sameCommit(source.commit, inFlight.commitSha ?? inFlight.source.commit);
  if (source.branch !== inFlight.source.branch) return 'new';
  if (inFlight.cloned) return 'compare-head';
  return inFlight.source.commit === null ? 'attach' : 'new';
}

/** Commits may be abbreviated to 7 or more digits by either side. */
function sameCommit(wanted: string, building: string | null): TriggerDecision {
  if (building === null) return 'new';
  return building.startsWith(wanted) || wanted.startsWith(building) ? 'attach' : 'new';
}

/**
 * Whether two requests are held to the same conventions. Who skips them, and why, is told to the audit ledger with the
 * build that does: a request that skips them attaches to none that does not, and one that does not to none that skips them.
 */
export function isHeldToSame(
  inFlight: Pick<BuildRequest, 'skipConventionCheck'>,
  request: Pick<BuildRequest, 'skipConventionCheck'>,
): boolean {
  return inFlight.skipConventionCheck === request.skipConventionCheck;
}
