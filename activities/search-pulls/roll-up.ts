import { eachShare, sharesOf } from '../../domain/search-pulls/add-up-rows.ts';
import { ROW_DIMENSIONS, type RowDimension } from '../../domain/search-pulls/dimensions.ts';
import { keptRange, pacificDay } from '../../domain/search-pulls/pacific-day.ts';
import type { RowPart } from '../../domain/search-pulls/ports.ts';
import { readRange } from '../../domain/search-pulls/read-range.ts';
import { bucketOf, bucketsFor, hashKey } from '../../domain/search-pulls/row-buckets.ts';
import { type SearchRow, toColumns } from '../../domain/search-pulls/search-rows.ts';
import { MOST_TOP_ROWS } from '../../domain/search-pulls/search-window.ts';
import {
  byDimension,
  monthOf,
  monthsToRollUp,
  type Series,
  type StoredPeriod,
  totalsOf,
  truncatedDaysOf,
} from '../../domain/search-pulls/stored-period.ts';
import { WINDOW_DAYS, windowRange } from '../../domain/search-pulls/windows.ts';
import type { SearchPullsActivityDeps } from './deps.ts';

/**
 * Adds up the months that are over and final, once, and the windows that reads are answered from. Idempotent: of the same
 * days it makes the same.
 */
export async function rollUp(deps: SearchPullsActivityDeps, series: Series, signal: AbortSignal): Promise<void> {
  const kept = keptRange(pacificDay(deps.now()));
  const [days, months] = await Promise.all([deps.rows.days(series, kept), deps.rows.months(series, kept)]);
  const known = new Set(months.map(({ period }) => period));
  for (const month of monthsToRollUp(days, known)) {
    signal.throwIfAborted();
    await rollUpMonth(
      deps,
      series,
      days.filter(({ period }) => monthOf(period) === month),
    );
  }
  // Before anything of them is read: a roll-up that began later knows more.
  const rolledUpAt = deps.now();
  const last = await deps.rows.lastFinalDay(series);
  if (last === null) return;
  for (const length of WINDOW_DAYS) {
    signal.throwIfAborted();
    const asked = { series, range: windowRange(length, last), limit: MOST_TOP_ROWS };
    const numbers = await readRange(deps.rows, asked);
    await deps.windows.write({ ...numbers, days: length, rolledUpAt });
  }
}

/** Distinct rows of a month are fewer than those of its days together: its parts have about as many as those of a day. */
const ROWS_SHARED = 4;

async function rollUpMonth(
  deps: SearchPullsActivityDeps,
  series: Series,
  days: readonly StoredPeriod[],
): Promise<void> {
  const [first] = days;
  if (first === undefined) return;
  const buckets = byDimension((dimension) => {
    const rows = rowsOf(days, dimension);
    if (rows === 0) return 0;
    return Math.max(bucketsFor(Math.ceil(rows / ROWS_SHARED)), sharesOf({ series, periods: days, dimension }));
  });
  const month: StoredPeriod = {
    ...series,
    period: monthOf(first.period),
    isFinal: true,
    pulledAt: deps.now(),
    generation: deps.newId('searchRows'),
    totals: totalsOf(days),
    dimensions: byDimension((dimension) => ({
      rows: rowsOf(days, dimension),
      buckets: buckets[dimension],
      truncatedDays: truncatedDaysOf(days, dimension),
    })),
  };
  await deps.rows.write(month, partsOfMonth(deps, series, days, buckets));
}

/** At most so many rows: those of the days together. */
function rowsOf(days: readonly StoredPeriod[], dimension: RowDimension): number {
  return days.reduce((sum, { dimensions }) => sum + dimensions[dimension].rows, 0);
}

async function* partsOfMonth(
  { rows: store }: SearchPullsActivityDeps,
  series: Series,
  periods: readonly StoredPeriod[],
  buckets: Readonly<Record<RowDimension, number>>,
): AsyncGenerator<RowPart> {
  for (const dimension of ROW_DIMENSIONS) {
    if (buckets[dimension] === 0) continue;
    const added = { series, periods, dimension };
    const shares = sharesOf(added);
    let share = 0;
    for await (const rows of eachShare(store, added, shares)) {
      for (const [bucket, ofBucket] of divide(rows, { share, shares, buckets: buckets[dimension] })) {
        yield { dimension, bucket, columns: toColumns(ofBucket) };
      }
      share += 1;
    }
  }
}

/** The rows of a share by their buckets; each bucket of the share is there, also one without rows. */
function divide(
  rows: readonly SearchRow[],
  { share, shares, buckets }: { readonly share: number; readonly shares: number; readonly buckets: number },
): ReadonlyMap<number, SearchRow[]> {
  const byBucket = new Map<number, SearchRow[]>();
  for (let bucket = share; bucket < buckets; bucket += shares) byBucket.set(bucket, []);
  for (const row of rows) byBucket.get(bucketOf(hashKey(row.key), buckets))?.push(row);
  return byBucket;
}
