import { FairleadError } from '../errors.ts';
import { topRows } from './add-up-rows.ts';
import { ROW_DIMENSIONS } from './dimensions.ts';
import type { DayRange } from './pacific-day.ts';
import type { SearchRowStore } from './ports.ts';
import type { RangeNumbers, TopRows } from './search-window.ts';
import { byDimension, coverRange, type Series, totalsOf, truncatedDaysOf } from './stored-period.ts';
import { priorRange } from './windows.ts';

export interface AskedRange {
  readonly series: Series;
  readonly range: DayRange;
  /** Rows of each dimension. */
  readonly limit: number;
}

const ATTEMPTS = 5;

/**
 * Adds up what is stored of a range of days, whole months by what they were added up to.
 * @throws CONFLICT (retryable) when pulls replace its days again and again; UNAVAILABLE
 */
export async function readRange(store: SearchRowStore, asked: AskedRange): Promise<RangeNumbers> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readOnce(store, asked);
    } catch (error) {
      const wasReplaced = error instanceof FairleadError && error.code === 'CONFLICT';
      if (!wasReplaced || attempt === ATTEMPTS) throw error;
    }
  }
}

async function readOnce(store: SearchRowStore, { series, range, limit }: AskedRange): Promise<RangeNumbers> {
  const before = priorRange(range);
  const [known, months, finalThrough] = await Promise.all([
    store.days(series, { from: before.from, to: range.to }),
    store.months(series, range),
    store.lastFinalDay(series),
  ]);
  const days = known.filter(({ period }) => period >= range.from);
  const prior = known.filter(({ period }) => period < range.from);
  const periods = coverRange(range, { days, months });
  const top = new Map<string, TopRows>();
  for (const dimension of ROW_DIMENSIONS) {
    const rows = await topRows(store, { series, periods, dimension }, limit);
    top.set(dimension, { rows, truncatedDays: truncatedDaysOf(days, dimension) });
  }
  return {
    ...series,
    range,
    totals: totalsOf(days),
    prior: { range: before, totals: totalsOf(prior), days: prior.length },
    series: days.map(({ period, isFinal, totals }) => ({ day: period, isFinal, ...totals })),
    top: byDimension((dimension) => top.get(dimension) ?? { rows: [], truncatedDays: 0 }),
    finalThrough,
  };
}
