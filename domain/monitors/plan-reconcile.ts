import type { Monitor } from './monitor.ts';
import { customDomainOf } from './registration.ts';

/** What is read as a whole to learn what the installation still serves. */
export type ReconciledList = 'services' | 'domains';

/** What a reconcile remembers of a list for the next one. */
export interface ReconcileRecord {
  /** How many entries the last list had that was followed; null before the first one. */
  readonly count: number | null;
  /** Since when lists are refused; null while they are followed. */
  readonly refusedSince: Date | null;
}

export interface ReconcilePlan {
  /** Why nothing is done; null where the list is followed. */
  readonly refused: string | null;
  /** Ids of monitors whose source is gone, and of those whose source is back. */
  readonly archive: readonly string[];
  readonly restore: readonly string[];
  readonly record: ReconcileRecord;
}

/** A list that lost more than this share at once, or lacks more than it of what is watched, is taken for broken. */
const MOST_LOST = 0.2;
/** A list that stays so for a day is true. */
const DOUBTED_MS = 24 * 3_600_000;
/** A deploy registers its monitor before, or after, the lists have what it is of. */
const SPARED_MS = 3_600_000;

type Known = Pick<Monitor, 'id' | 'key' | 'serviceName' | 'environment' | 'unmanaged' | 'archivedAt' | 'updatedAt'>;
type Before = { readonly last: ReconcileRecord | null; readonly now: Date };

/**
 * Which monitors are archived, since the registry has their service no more (spec 3, "Monitor behaviour" 4). Never one
 * that is `unmanaged`, and nothing at all by a list that is suddenly emptier, or lacks much of what is watched, as the list of
 * another installation does: monitors would leave with it. Archived ones keep their history, and are back with their service;
 * those of custom domains are back by {@link planDomains}.
 * @param services `service/environment`, as the registry lists them: the whole list
 */
export function planReconcile(
  monitors: readonly Known[],
  services: ReadonlySet<string>,
  before: Before,
): ReconcilePlan {
  return planOf(
    {
      monitors: monitors.filter(({ unmanaged }) => !unmanaged),
      listed: services.size,
      isListed: (monitor) => services.has(targetOf(monitor)),
      mayReturn: (monitor) => customDomainOf(monitor) === null,
      // A service with custom domains has several monitors.
      count: (some) => new Set(some.map(targetOf)).size,
      lister: 'The service registry',
      entries: 'services',
    },
    before,
  );
}

/**
 * Which monitors of custom domains are archived, since their name leads to their service no more, and which are back with
 * it; by the same rule as {@link planReconcile}. Only those of services that are there: the others go with their service.
 * @param domains `service/environment/name`, as the builder lists them: the whole list
 */
export function planDomains(
  monitors: readonly Known[],
  { services, domains }: { readonly services: ReadonlySet<string>; readonly domains: ReadonlySet<string> },
  before: Before,
): ReconcilePlan {
  const ofDomains = monitors.filter((monitor) => !monitor.unmanaged && customDomainOf(monitor) !== null);
  return planOf(
    {
      monitors: ofDomains.filter((monitor) => services.has(targetOf(monitor))),
      listed: domains.size,
      isListed: ({ key }) => domains.has(key),
      mayReturn: () => true,
      count: (some) => some.length,
      lister: 'The builder',
      entries: 'custom domains',
    },
    before,
  );
}

/** Monitors, and what a list says of them. */
interface Comparison {
  readonly monitors: readonly Known[];
  /** Entries of the list. */
  readonly listed: number;
  readonly isListed: (monitor: Known) => boolean;
  readonly mayReturn: (monitor: Known) => boolean;
  /** How many entries these monitors are of. */
  readonly count: (monitors: readonly Known[]) => number;
  readonly lister: string;
  readonly entries: string;
}

function planOf(comparison: Comparison, { last, now }: Before): ReconcilePlan {
  const { monitors, listed, isListed, mayReturn } = comparison;
  const isSpared = ({ updatedAt }: Known) => now.getTime() - updatedAt.getTime() < SPARED_MS;
  const gone = monitors.filter((each) => each.archivedAt === null && !isListed(each) && !isSpared(each));
  const refusedSince = last?.refusedSince ?? now;
  const doubt = doubtOf(comparison, last, gone);
  if (doubt !== null && now.getTime() - refusedSince.getTime() < DOUBTED_MS) {
    const record = { count: last?.count ?? null, refusedSince };
    return { refused: doubt, archive: [], restore: [], record };
  }
  const back = monitors.filter((each) => each.archivedAt !== null && isListed(each) && mayReturn(each));
  return {
    refused: null,
    archive: gone.map(({ id }) => id),
    restore: back.map(({ id }) => id),
    record: { count: listed, refusedSince: null },
  };
}

/**
 * Why a list is taken for broken; null where it is not, or where nothing would be archived by it. The first one is compared
 * with the monitors alone.
 */
function doubtOf(
  { monitors, listed, count, lister, entries }: Comparison,
  last: ReconcileRecord | null,
  gone: readonly Known[],
): string | null {
  if (gone.length === 0) return null;
  const before = last?.count ?? 0;
  const [lacking, live] = [count(gone), count(monitors.filter(({ archivedAt }) => archivedAt === null))];
  if (listed < before * (1 - MOST_LOST)) return `${lister} lists ${listed} ${entries}, after ${before} before`;
  if (lacking > live * MOST_LOST) return `${lister} lacks ${lacking} of ${live} ${entries} that have a monitor`;
  return null;
}

function targetOf({ serviceName, environment }: Pick<Known, 'serviceName' | 'environment'>): string {
  return `${serviceName}/${environment}`;
}
