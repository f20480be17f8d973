import { ROW_DIMENSIONS } from '../../domain/search-pulls/dimensions.ts';
import type { PartRef, SearchRowStore } from '../../domain/search-pulls/ports.ts';
import { toRows } from '../../domain/search-pulls/search-rows.ts';
import { isMonth, type Series, type StoredPeriod } from '../../domain/search-pulls/stored-period.ts';

const EVER = { from: '2000-01-01', to: '2999-12-31' };

/**
 * All that is stored of a property, days and months, as lines that can be compared: what was pulled when is left out. A part
 * that a period names and the store has not is a line as well.
 */
export async function allStoredRows(store: SearchRowStore, series: Series): Promise<readonly string[]> {
  const periods = [...(await store.days(series, EVER)), ...(await store.months(series, EVER))];
  const missing = new Set(periods.flatMap(partsOf).map(nameOf));
  const lines = periods.map((period) => {
    const { totals, isFinal } = period;
    return `${period.period} ${isMonth(period) ? 'month' : 'day'} ${isFinal} ${JSON.stringify(totals)}`;
  });
  // All parts in one call: a database is asked for dozens of them at once.
  for await (const part of store.read(series, periods.flatMap(partsOf))) {
    missing.delete(nameOf(part));
    const { period, dimension } = part;
    for (const row of toRows(part.columns)) lines.push(`${period} ${dimension} ${JSON.stringify(row)}`);
  }
  for (const name of missing) lines.push(`${name} is missing`);
  return lines.sort();
}

function partsOf({ period, generation, dimensions }: StoredPeriod): readonly PartRef[] {
  return ROW_DIMENSIONS.flatMap((dimension) =>
    Array.from({ length: dimensions[dimension].buckets }, (_, bucket) => ({ period, generation, dimension, bucket })),
  );
}

function nameOf({ period, dimension, bucket }: Pick<PartRef, 'period' | 'dimension' | 'bucket'>): string {
  return `${period} ${dimension} part ${bucket}`;
}
