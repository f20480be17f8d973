/**
 * The module `monitors`: what is watched, how it is, and how it was.
 *
 * Keying: one monitor a natural key; one condition a monitor; results by shard and minute, then by monitor and hour;
 * roll-ups by monitor, length and beginning. One holder a shard: the workflow `monitor-shard/<n>`, whose activity gets a
 * fence from `ResultStore.claim`; every write of an older holder is refused with CONFLICT.
 * Retries: a result that was recorded is skipped by its time; roll-ups are made anew from the same results; a transition is
 * told until the incidents have it, and counted there by (monitor, sequence).
 * Compensation: none. What was not recorded while the database was away waits on the prober's disk.
 */

import type { Page, PageRequest } from '../page.ts';
import type { CheckResult, MonitorResult } from './check-result.ts';
import type { OrgSecrets } from './check-secret.ts';
import type { Condition, Transition } from './condition.ts';
import type { RollUp, RollUpLength, Uptime } from './history.ts';
import type { Monitor } from './monitor.ts';
import type { BurnState } from './objective.ts';
import type { ReconciledList, ReconcileRecord } from './plan-reconcile.ts';
import type { ReplayState } from './timeline.ts';

export interface MonitorFilter {
  /** Slug of the owning org; null for all. */
  readonly org: string | null;
  readonly archived?: boolean;
  readonly publicOnly?: boolean;
  readonly serviceName?: string;
}

/** Monitors. @throws UNAVAILABLE (retryable) from every method */
export interface MonitorStore {
  find(id: string): Promise<Monitor | null>;
  findByKey(key: string): Promise<Monitor | null>;
  /** By service name, then id. */
  list(filter: MonitorFilter, page: PageRequest): Promise<Page<Monitor>>;
  /** All of a shard, archived ones too, that changed at or after a time; null for all. The oldest change first. */
  listShard(shard: number, changedSince: Date | null, page: PageRequest): Promise<Page<Monitor>>;
  /** A number that no other monitor had or gets. */
  nextNumber(): Promise<number>;
  /** @returns false when there is one of that key */
  insert(monitor: Monitor): Promise<boolean>;
  /** @throws CONFLICT (retryable) when the stored one has another revision than the one before, or is gone */
  replace(monitor: Monitor): Promise<void>;
  /** Forgets a monitor for good. @returns false when the stored one has another revision than this one, or is gone */
  remove(monitor: Pick<Monitor, 'id' | 'revision'>): Promise<boolean>;
}

/** Conditions. @throws UNAVAILABLE (retryable) from every method */
export interface ConditionStore {
  find(monitorIds: readonly string[]): Promise<ReadonlyMap<string, Condition>>;
  /** Takes the conditions of these over: older fences can write them no more. Monitors without one get an empty one. */
  claim(monitorIds: readonly string[], fence: number): Promise<ReadonlyMap<string, Condition>>;
  /** @throws CONFLICT, not retryable, when a newer fence has one of them; those before it may be written */
  write(conditions: readonly Condition[], fence: number): Promise<void>;
  /** Of a monitor that is removed. None is no error. */
  remove(monitorId: string): Promise<void>;
}

/** The results of one shard, as they came. */
export interface ResultBatch {
  readonly shard: number;
  readonly fence: number;
  readonly results: readonly (CheckResult & Pick<Monitor, 'number'>)[];
}

/** Results of one hour of a shard that are not packed by monitor yet. */
export interface LooseHour {
  /** By the number of the monitor; by time, one of a time only. */
  readonly results: ReadonlyMap<number, readonly CheckResult[]>;
  /** What they were read from: only that may be dropped. */
  readonly parts: readonly { readonly id: string; readonly chunks: number }[];
}

/** Raw results. @throws UNAVAILABLE (retryable) from every method */
export interface ResultStore {
  /** Makes the caller the holder. @returns its fence, higher than each before */
  claim(shard: number): Promise<number>;
  /** @throws CONFLICT, not retryable, when another holder came */
  append(batch: ResultBatch): Promise<void>;
  /** Results of one monitor in [from, to), by time; one of a time only. */
  read(monitor: Pick<Monitor, 'number'>, from: Date, to: Date): Promise<readonly CheckResult[]>;
  /** Beginnings of hours that have loose results, the first one first; at most {@link MOST_LOOSE_HOURS}. */
  looseHours(shard: number): Promise<readonly Date[]>;
  readLoose(shard: number, hour: Date): Promise<LooseHour>;
  /** Adds results to those that are packed of an hour, by monitor. Idempotent: one of a time only. */
  pack(hour: Date, results: LooseHour['results']): Promise<void>;
  /** Packed results of an hour. */
  readPacked(hour: Date, numbers: readonly number[]): Promise<LooseHour['results']>;
  /** Drops what was read, but for what got more results since. */
  dropLoose(parts: LooseHour['parts']): Promise<void>;
  /** Drops packed results of hours before one. */
  dropPackedBefore(hour: Date): Promise<void>;
}

export const MOST_LOOSE_HOURS = 48;

/** Where the replay of a monitor ended, by the beginning of the hour. */
export interface HourEnd {
  readonly monitorId: string;
  readonly hour: Date;
  readonly closing: ReplayState;
}

/** Roll-ups of a length that begin in [from, to). */
export interface RollUpRange {
  readonly length: RollUpLength;
  readonly from: Date;
  readonly to: Date;
}

/** Roll-ups. @throws UNAVAILABLE (retryable) from every method */
export interface RollUpStore {
  /** Replaces those of the same key. */
  write(rollUps: readonly RollUp[]): Promise<void>;
  /** Keeps the last {@link MOST_HOUR_ENDS} of each monitor; replaces the one of the same hour. */
  writeEnds(ends: readonly HourEnd[]): Promise<void>;
  /** The last end of each monitor before an hour; monitors without one are absent. */
  endsBefore(monitorIds: readonly string[], hour: Date): Promise<ReadonlyMap<string, HourEnd>>;
  /** That begin in [from, to), by time. */
  read(monitorId: string, length: RollUpLength, from: Date, to: Date): Promise<readonly RollUp[]>;
  /** Several ranges of one monitor in one go, in their order; each by time. */
  readRanges(monitorId: string, ranges: readonly RollUpRange[]): Promise<readonly (readonly RollUp[])[]>;
  /** All of a monitor, with its ends. None is no error. */
  remove(monitorId: string): Promise<void>;
}

/** Of a monitor that is checked each hour: for as long as its raw results are kept, and may be rolled up again. */
export const MOST_HOUR_ENDS = 48;

/** Alerts on error budgets. @throws UNAVAILABLE (retryable) from every method */
export interface BurnStore {
  /** Of those that ever had one. */
  find(monitorIds: readonly string[]): Promise<ReadonlyMap<string, BurnState>>;
  /** @returns false when the stored one has another revision than the one before: somebody else looks at it as well */
  write(state: BurnState): Promise<boolean>;
  /** Of a monitor that is removed. None is no error. */
  remove(monitorId: string): Promise<void>;
}

/** What pages and replies show of the past. @throws UNAVAILABLE (retryable) */
export interface MonitorHistory {
  /** Of each monitor, for the last so many days, today included as far as it is rolled up. */
  uptime(monitorIds: readonly string[], days: number, now: Date): Promise<ReadonlyMap<string, Uptime>>;
  /** One entry a UTC day, the oldest first; days without data have none. */
  days(monitorId: string, days: number, now: Date): Promise<readonly RollUp[]>;
  /** Between two beginnings of UTC days, as far as it is known by now. */
  between(monitorId: string, from: Date, to: Date, now: Date): Promise<Uptime>;
  /** For charts: the finest roll-ups that cover so many hours. */
  series(monitorId: string, hours: number, now: Date): Promise<readonly RollUp[]>;
}

/** What the holder of a shard tells its results to, in the order of the checks. */
export interface ShardRecorder {
  readonly fence: number;
  /** Monitors whose verdict is known, and those that were never checked. */
  readonly conditions: () => ReadonlyMap<string, Condition>;
  /**
   * Keeps results, decides what they change, stores that and tells the incidents. Idempotent: a batch that was on the disk
   * may be given again, and what is older there than the last result of its monitor goes into the history alone.
   * @throws CONFLICT, not retryable: another holder came, end; UNAVAILABLE (retryable): give the batch again later
   */
  record(results: readonly MonitorResult[], from: 'checks' | 'disk'): Promise<void>;
  /** Monitors were added, changed, paused or archived. */
  follow(monitors: readonly Monitor[]): Promise<void>;
}

/** Secrets of checks. @throws UNAVAILABLE (retryable) from every method */
export interface CheckSecretStore {
  /** Of an org that has none: an empty record of revision 0. */
  find(org: string): Promise<OrgSecrets>;
  /** The revision of each of these orgs that ever had some. */
  revisions(orgs: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** @returns false when the stored one has another revision than the one before: somebody else changed it */
  write(next: OrgSecrets): Promise<boolean>;
}

/** The services that are deployed, as the service registry lists them. */
export interface RegisteredTargets {
  /** `service/environment` of each: the whole list, or an error. @throws UNAVAILABLE (retryable) */
  list(signal: AbortSignal): Promise<ReadonlySet<string>>;
}

/** The custom domains of services, as the builder lists them. */
export interface ServedDomains {
  /** `service/environment/domain` of each, as `domainKey` writes it: the whole list, or an error. @throws UNAVAILABLE (retryable) */
  list(signal: AbortSignal): Promise<ReadonlySet<string>>;
}

/** What the last reconcile left of each list. @throws UNAVAILABLE (retryable) from every method */
export interface ReconcileMemory {
  read(list: ReconciledList): Promise<ReconcileRecord | null>;
  write(list: ReconciledList, record: ReconcileRecord): Promise<void>;
}

/** Where transitions go: the module `incidents`. Idempotent by (monitor, sequence). @throws UNAVAILABLE (retryable) */
export interface TransitionListener {
  /** Says of many at once that they are down, before each is told. Others are passed over. */
  announce(transitions: readonly (readonly [Monitor, Transition])[]): Promise<void>;
  tell(monitor: Monitor, transition: Transition): Promise<void>;
}
