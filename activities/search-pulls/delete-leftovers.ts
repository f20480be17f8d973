import { keptRange, pacificDay } from '../../domain/search-pulls/pacific-day.ts';
import type { Series } from '../../domain/search-pulls/stored-period.ts';
import type { SearchPullsActivityDeps } from './deps.ts';

/**
 * Deletes what attempts left that were broken off within a write, of the days that were stored since the last whole pull
 * began, and their months: a pull in between may have been given up before it came here. Idempotent.
 * @param lastPulled null where the property was never pulled to its end
 */
export async function deleteLeftovers(
  { rows, now }: Pick<SearchPullsActivityDeps, 'rows' | 'now'>,
  series: Series,
  lastPulled: Date | null,
): Promise<void> {
  const kept = keptRange(pacificDay(now()));
  const days = await rows.days(series, kept);
  const oldest = days.find(({ pulledAt }) => lastPulled === null || pulledAt >= lastPulled);
  if (oldest !== undefined) await rows.deleteLeftovers(series, { from: oldest.period, to: kept.to });
}
