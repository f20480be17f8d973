import type { Monitor } from './monitor.ts';

/** What a reconcile remembers for the next one. */
export interface ReconcileRecord {
  /** How many targets the last list had that was followed; null before the first one. */
  readonly count: number | null;
  /** Since when lists are refused; null while they are followed. */
  readonly refusedSince: Date | null;
}

export interface ReconcilePlan {
  /** Why nothing is done; null where the list is followed. */
  readonly refused: string | null;
  /** Ids of monitors whose service is gone, and of those whose service is back. */
  readonly archive: readonly string[];
  readonly restore: readonly string[];
  readonly record: ReconcileRecord;
}

/** A list that lost more than this share at once, or lacks more than it of what is watched, is taken for broken. */
const MOST_LOST = 0.2;
/** A list that stays so for a day is true. */
const DOUBTED_MS = 24 * 3_600_000;
/** A deploy registers its monitor before, or after, the registry lists its service. */
const SPARED_MS = 3_600_000;

type Known = Pick<Monitor, 'id' | 'serviceName' | 'environment' | 'unmanaged' | 'archivedAt' | 'updatedAt'>;

/**
 * Which monitors are archived, since the registry has their service no more (spec 3, "Monitor behaviour" 4). Never one
 * that is `unmanaged`, and nothing at all by a list that is suddenly emptier, or lacks much of what is watched, as the list of
 * another installation does: monitors would leave with it. Archived ones keep their history, and are back with their service.
 * @param targets `service/environment`, as the registry lists them: the whole list
 */
export function planReconcile(
  monitors: readonly Known[],
  targets: ReadonlySet<string>,
  { last, now }: { readonly last: ReconcileRecord | null; readonly now: Date },
): ReconcilePlan {
  const managed = monitors.filter(({ unmanaged }) => !unmanaged);
  const isThere = (monitor: Known) => targets.has(targetOf(monitor));
  const isSpared = ({ updatedAt }: Known) => now.getTime() - updatedAt.getTime() < SPARED_MS;
  const live = managed.filter(({ archivedAt }) => archivedAt === null);
  const gone = live.filter((each) => !isThere(each) && !isSpared(each));
  const refusedSince = last?.refusedSince ?? now;
  const doubt = doubtOf({ last, listed: targets.size, live: targetsOf(live), gone: targetsOf(gone) });
  if (doubt !== null && now.getTime() - refusedSince.getTime() < DOUBTED_MS) {
    const record = { count: last?.count ?? null, refusedSince };
    return { refused: doubt, archive: [], restore: [], record };
  }
  const back = managed.filter((each) => each.archivedAt !== null && isThere(each));
  return {
    refused: null,
    archive: gone.map(({ id }) => id),
    restore: back.map(({ id }) => id),
    record: { count: targets.size, refusedSince: null },
  };
}

interface Figures {
  readonly last: ReconcileRecord | null;
  /** Services of the list. */
  readonly listed: number;
  /** Services that have a monitor, and how many of them the list lacks. */
  readonly live: number;
  readonly gone: number;
}

/** Why a list is taken for broken; null where it is not. The first one is compared with the monitors alone. */
function doubtOf({ last, listed, live, gone }: Figures): string | null {
  const before = last?.count ?? 0;
  if (listed < before * (1 - MOST_LOST)) return `The service registry lists ${listed} services, after ${before} before`;
  if (gone > live * MOST_LOST) return `The service registry lacks ${gone} of ${live} services that have a monitor`;
  return null;
}

function targetOf({ serviceName, environment }: Known): string {
  return `${serviceName}/${environment}`;
}

/** A service with custom domains has several monitors. */
function targetsOf(monitors: readonly Known[]): number {
  return new Set(monitors.map(targetOf)).size;
}
