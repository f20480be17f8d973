import { CONDITION_REFRESH_MS, type Condition, GAP_INTERVALS } from './condition.ts';
import { isWatched, type Monitor, shardOf } from './monitor.ts';

/** How many monitors of a shard are checked, and of how many the last check is too long ago. */
export interface ShardChecks {
  readonly shard: number;
  readonly watched: number;
  readonly late: number;
}

/** One in two: an org beyond its share has checks left out, and one monitor says nothing of its shard. */
const MOST_LATE = 0.5;

/** Whether the checks of a shard are made at their times, whatever they find. */
export function isOnTime({ watched, late }: ShardChecks): boolean {
  return watched === 0 || late / watched < MOST_LATE;
}

/** The tally with one more monitor in it. @param now by the database's clock */
export function withMonitor(
  tally: readonly ShardChecks[],
  { monitor, condition }: { readonly monitor: Monitor; readonly condition: Condition | null },
  now: Date,
): readonly ShardChecks[] {
  if (!isWatched(monitor)) return tally;
  const shard = shardOf(monitor);
  const known = tally.find((each) => each.shard === shard) ?? { shard, watched: 0, late: 0 };
  const counted = { shard, watched: known.watched + 1, late: known.late + (isLate(monitor, condition, now) ? 1 : 0) };
  return [...tally.filter((each) => each.shard !== shard), counted];
}

/** One that is new, or was changed just now, has time for its first check. */
function isLate({ intervalSeconds, updatedAt }: Monitor, condition: Condition | null, now: Date): boolean {
  const gapMs = GAP_INTERVALS * intervalSeconds * 1_000 + 2 * CONDITION_REFRESH_MS;
  const lastAt = Math.max(condition?.last?.at ?? 0, updatedAt.getTime());
  // Of a clock that was ahead and is right again, what is to come is as old as what is past.
  return Math.abs(now.getTime() - lastAt) > gapMs;
}
