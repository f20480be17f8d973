import type { Environment } from '../environment.ts';
import type { MonitorCheck } from './check-kinds.ts';
import type { MaintenanceWindow } from './maintenance.ts';
import type { Objective } from './objective.ts';
import type { RecurringMaintenance } from './recurring-maintenance.ts';

/** What is watched, and how (spec 3, "Monitor record"). What its checks found stands in its `Condition`. */
export interface Monitor {
  /** `mon_…`; the builder keeps it as `pulseMonitorId`. */
  readonly id: string;
  /** A small number of its own, for good: packed results name the monitor by it, and it says the shard. */
  readonly number: number;
  /** As {@link naturalKey} writes it: no other monitor has it. */
  readonly key: string;
  /** Slug of the owning org; null while no registration named one: then operators alone see it. */
  readonly org: string | null;
  readonly serviceName: string;
  /** `{service}-{environment}` */
  readonly namespace: string;
  readonly environment: Environment;
  readonly check: MonitorCheck;
  /** Seconds between two checks, {@link INTERVAL_SECONDS}. */
  readonly intervalSeconds: number;
  /** What the last deploy asked for, where a person set another interval: theirs stays until they reset it. */
  readonly deployedIntervalSeconds?: number | null | undefined;
  /** Registered by a person or operator, and not a service of the builder: the reconcile leaves it alone. */
  readonly unmanaged: boolean;
  /** How much of the time it has to be up; none where nobody said. */
  readonly objective?: Objective | null | undefined;
  /** Whether the public status page shows it. */
  readonly isPublic: boolean;
  /** Since when nothing is checked, and who said so. */
  readonly paused: { readonly at: Date; readonly by: string } | null;
  /** When what it watches was gone, or somebody removed it: nothing is checked, and its history waits for its return. */
  readonly archivedAt: Date | null;
  /** Since when it is checked again, where that ever stopped. */
  readonly resumedAt?: Date | undefined;
  /** Oldest first, without those that were over days ago. */
  readonly maintenance: readonly MaintenanceWindow[];
  /** Without those that ended days ago. */
  readonly recurring?: readonly RecurringMaintenance[] | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** One more with each change: a store refuses a change of what was changed meanwhile. */
  readonly revision: number;
}

/** Seconds between two checks: the least and the most. */
export const INTERVAL_SECONDS = { min: 5, max: 3_600 } as const;

/**
 * Monitors are spread over so many shards, each with one holder that runs the checks: the workflow `monitor-shard/<n>`.
 * Another number moves monitors to other shards.
 */
export const SHARDS = 4;

export function shardOf({ number }: Pick<Monitor, 'number'>): number {
  return number % SHARDS;
}

/** For as long an archived monitor comes back with its history; it is then deleted. */
const ARCHIVE_KEPT_MS = 90 * 86_400_000;

export function isArchiveOver(archivedAt: Date, now: Date): boolean {
  return now.getTime() - archivedAt.getTime() >= ARCHIVE_KEPT_MS;
}

/** Whether checks of it run now. */
export function isWatched({ paused, archivedAt }: Pick<Monitor, 'paused' | 'archivedAt'>): boolean {
  return paused === null && archivedAt === null;
}
