import { ROW_DIMENSIONS, type RowDimension } from '../../domain/search-pulls/dimensions.ts';
import type { PacificDay } from '../../domain/search-pulls/pacific-day.ts';
import type { PullableProperty, RowPart } from '../../domain/search-pulls/ports.ts';
import { NOTHING_PULLED, type PropertyPull } from '../../domain/search-pulls/pull-run.ts';
import { NO_NUMBERS, type SearchNumbers } from '../../domain/search-pulls/search-numbers.ts';
import { toParts } from '../../domain/search-pulls/search-rows.ts';
import { byDimension, type Series, type StoredPeriod, storedRows } from '../../domain/search-pulls/stored-period.ts';
import type { SearchPullsActivityDeps } from './deps.ts';
import { type ReadRows, readPages } from './read-pages.ts';

/** A day of a property that is pulled. */
export interface DayToPull {
  readonly property: PullableProperty;
  readonly series: Series;
  readonly day: PacificDay;
  readonly isFinal: boolean;
  readonly totals: SearchNumbers;
}

/** Reads the rows of a day, every dimension at once, and stores them in the place of what was read of it before. */
export async function pullDay(
  deps: SearchPullsActivityDeps,
  { property, series, day, isFinal, totals }: DayToPull,
  signal: AbortSignal,
): Promise<PropertyPull> {
  const pulledAt = deps.now();
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  const range = { from: day, to: day };
  const readDimension = async (dimension: RowDimension): Promise<readonly [RowDimension, ReadRows]> => {
    const request = { siteUrl: property.siteUrl, range, type: series.type, dimension };
    return [dimension, await readPages(deps.analytics, request, both)];
  };
  const read = await Promise.all(ROW_DIMENSIONS.map(readDimension)).catch((error: unknown) => {
    failed.abort(error);
    throw error;
  });
  const known = new Map(read);
  const count = (dimension: RowDimension): number => known.get(dimension)?.rows.length ?? 0;
  const dimensions = byDimension((dimension) => storedRows(count(dimension), known.get(dimension)?.shown));
  const generation = deps.newId('searchRows');
  const period: StoredPeriod = { ...series, period: day, isFinal, pulledAt, generation, totals, dimensions };
  await deps.rows.write(period, partsOf(read));
  return {
    days: 1,
    rows: ROW_DIMENSIONS.reduce((sum, dimension) => sum + count(dimension), 0),
    truncatedDays: ROW_DIMENSIONS.some((dimension) => dimensions[dimension].truncatedDays > 0) ? 1 : 0,
  };
}

/** A day without a search: nothing is asked for it but its totals. */
export function emptyDay(
  { now, newId }: Pick<SearchPullsActivityDeps, 'now' | 'newId'>,
  series: Series,
  { day, isFinal }: { readonly day: PacificDay; readonly isFinal: boolean },
): StoredPeriod {
  const dimensions = byDimension(() => storedRows(0));
  const generation = newId('searchRows');
  return { ...series, period: day, isFinal, pulledAt: now(), generation, totals: NO_NUMBERS, dimensions };
}

export const EMPTY_DAY: PropertyPull = { ...NOTHING_PULLED, days: 1 };

function* partsOf(read: readonly (readonly [RowDimension, ReadRows])[]): Generator<RowPart> {
  for (const [dimension, { rows }] of read) {
    for (const [bucket, columns] of toParts(rows).entries()) yield { dimension, bucket, columns };
  }
}
