import type { MonitorResult, Outcome } from './check-result.ts';
import { isWatched, type Monitor } from './monitor.ts';
import { maintenanceAt } from './recurring-maintenance.ts';

/** What results alone say. */
export const VERDICTS = ['pending', 'up', 'degraded', 'down'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What is shown. `degraded` counts as up. `unknown`: there are no results of late, or the prober could not tell. */
export const MONITOR_STATES = [...VERDICTS, 'paused', 'maintenance', 'unknown'] as const;
export type MonitorState = (typeof MONITOR_STATES)[number];

/** Milliseconds since 1970 everywhere: what the state table works with. */
export interface VerdictState {
  readonly verdict: Verdict;
  /** Since when: of a verdict that took two results, when the first of them was. */
  readonly since: number;
  /** Results in a row that speak against the verdict, or, while pending, that agree with each other. */
  readonly run: {
    readonly outcome: Exclude<Outcome, 'unknown'>;
    readonly count: number;
    readonly firstAt: number;
  } | null;
}

/** A mark beside the state. Each change adds to the penalty, and time takes it away. */
export interface Flapping {
  /** As it was at `at`. */
  readonly penalty: number;
  readonly at: number;
  /** Null while it does not flap. */
  readonly since: number | null;
}

/** What was told of a monitor: down, up again, flapping and its end. */
export interface Transition {
  /** 1, 2, … of the monitor: (monitor, sequence) is unique, whoever tells it how often. */
  readonly sequence: number;
  readonly kind: 'down' | 'up' | 'flapping' | 'steady';
  /** When it began: of `down` and `up`, the first of the two results. */
  readonly at: number;
  /** When it was known. */
  readonly confirmedAt: number;
  /** Of `down`: the sequence is its own. Of the others: that of the `down` whose incident is open, or null. */
  readonly downSequence: number | null;
  /** What was seen. */
  readonly message: string | null;
}

/** How a monitor is, by its results; written by the holder of its shard alone. */
export interface Condition {
  readonly monitorId: string;
  readonly verdict: VerdictState;
  readonly flapping: Flapping;
  /** The last transition that was decided. */
  readonly sequence: number;
  /** The sequence of the `down` whose incident is open. */
  readonly openDown: number | null;
  /** Decided, and not yet told to the incidents; told again by the next holder of the shard. At most a few. */
  readonly untold: readonly Transition[];
  readonly last: MonitorResult | null;
  /** When the last result came that was not `unknown`. */
  readonly seenAt: number | null;
}

/** So many intervals without a result, and nothing is known any more. */
export const GAP_INTERVALS = 2.5;

/** Whether over {@link GAP_INTERVALS} intervals lie between two results. Milliseconds. */
export function isGap(before: number | null, at: number, intervalMs: number): boolean {
  return before !== null && at - before > GAP_INTERVALS * intervalMs;
}

/** Conditions are stored at least this often while results come: their last result may be so much older than it is. */
export const CONDITION_REFRESH_MS = 15_000;

/**
 * What is shown now. What people and the installation say goes before what checks say, and old checks say nothing.
 * @param now by the database's clock
 */
export function stateOf(monitor: Monitor, condition: Condition | null, now: Date): MonitorState {
  if (!isWatched(monitor)) return 'paused';
  if (maintenanceAt(monitor, now) !== null) return 'maintenance';
  if (condition === null || condition.seenAt === null) return 'pending';
  const silentMs = now.getTime() - condition.seenAt;
  // Of a clock that was ahead and is right again, what is to come is as old as what is past.
  const isStale = Math.abs(silentMs) > GAP_INTERVALS * monitor.intervalSeconds * 1_000 + 2 * CONDITION_REFRESH_MS;
  return isStale ? 'unknown' : condition.verdict.verdict;
}
