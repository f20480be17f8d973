import { createRowSums } from './merge-rows.ts';
import type { PageNumbers, PartRef, SearchRowStore } from './ports.ts';
import { bucketOf, hashKey } from './row-buckets.ts';
import type { SearchNumbers } from './search-numbers.ts';
import { NO_ROWS, type RowColumns } from './search-rows.ts';
import type { Series, StoredPeriod } from './stored-period.ts';
import { windowRange } from './windows.ts';

const ATTEMPTS = 5;

/** Numbers of pages from the stored rows: of each day, the parts alone are read that the pages are in. */
export function createPageNumbers(store: SearchRowStore): PageNumbers {
  return {
    async ofPages(property, urls, days) {
      const series: Series = { property, type: 'web' };
      const last = await store.lastFinalDay(series);
      if (last === null) return null;
      const range = windowRange(days, last);
      for (let attempt = 1; ; attempt += 1) {
        const numbers = await numbersOf(store, series, await store.days(series, range), new Set(urls));
        if (numbers !== null || attempt === ATTEMPTS) return { range, numbers: numbers ?? new Map() };
      }
    },
  };
}

/** Null when a day was replaced meanwhile. */
async function numbersOf(
  store: SearchRowStore,
  series: Series,
  days: readonly StoredPeriod[],
  urls: ReadonlySet<string>,
): Promise<ReadonlyMap<string, SearchNumbers> | null> {
  const hashes = [...urls].map(hashKey);
  const parts = days.flatMap(({ period, generation, dimensions }): PartRef[] => {
    const { buckets } = dimensions.page;
    if (buckets === 0) return [];
    const needed = new Set(hashes.map((hash) => bucketOf(hash, buckets)));
    return [...needed].map((bucket) => ({ period, generation, dimension: 'page', bucket }));
  });
  const sums = createRowSums(0, 1);
  let found = 0;
  for await (const { columns } of store.read(series, parts)) {
    found += 1;
    sums.add(pickRows(columns, urls));
  }
  if (found < parts.length) return null;
  return new Map(sums.rows().map(({ key, ...numbers }) => [key, numbers]));
}

function pickRows({ keys, clicks, impressions, positions }: RowColumns, wanted: ReadonlySet<string>): RowColumns {
  const at = keys.flatMap((key, index) => (wanted.has(key) ? [index] : []));
  if (at.length === 0) return NO_ROWS;
  const pick = (values: readonly number[]): number[] => at.map((index) => values[index] ?? 0);
  return {
    keys: at.map((index) => keys[index] ?? ''),
    clicks: pick(clicks),
    impressions: pick(impressions),
    positions: pick(positions),
  };
}
