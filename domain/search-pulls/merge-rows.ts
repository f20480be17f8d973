import { bucketOf, hashKey } from './row-buckets.ts';
import { compareRows, type RowColumns, type SearchRow } from './search-rows.ts';

/** Rows that are added up at once: what is in memory stays within some ten MiB, however long the range is. */
const ROWS_AT_ONCE = 200_000;
const MOST_SHARES = 1_024;

/** Rows of one dimension that lie in parts. */
export interface BucketedRows {
  readonly rows: number;
  readonly buckets: number;
}

/** Into how many shares rows are divided that are added up one share after the other: a power of two. */
export function sharesFor(sources: readonly BucketedRows[]): number {
  const total = sources.reduce((sum, { rows }) => sum + rows, 0);
  let shares = 1;
  while (shares < MOST_SHARES && total > shares * ROWS_AT_ONCE) shares *= 2;
  return shares;
}

/** The buckets of a source in which a share's keys are. */
export function bucketsOfShare({ buckets }: BucketedRows, share: number, shares: number): readonly number[] {
  if (buckets < shares) return buckets === 0 ? [] : [share & (buckets - 1)];
  return Array.from({ length: buckets / shares }, (_, index) => share + index * shares);
}

/** Adds up the rows of one share. */
export interface RowSums {
  add(columns: RowColumns): void;
  /** In no order. */
  rows(): readonly SearchRow[];
}

interface Sum {
  clicks: number;
  impressions: number;
  /** Sum of the positions of all impressions. */
  weight: number;
}

export function createRowSums(share: number, shares: number): RowSums {
  const sums = new Map<string, Sum>();
  const isOurs = (key: string): boolean => shares === 1 || bucketOf(hashKey(key), shares) === share;
  return {
    add({ keys, clicks, impressions, positions }) {
      for (const [index, key] of keys.entries()) {
        let sum = sums.get(key);
        if (sum === undefined) {
          if (!isOurs(key)) continue;
          sum = { clicks: 0, impressions: 0, weight: 0 };
          sums.set(key, sum);
        }
        const shown = impressions[index] ?? 0;
        sum.clicks += clicks[index] ?? 0;
        sum.impressions += shown;
        sum.weight += shown * (positions[index] ?? 0);
      }
    },
    rows: () =>
      [...sums].map(([key, { clicks, impressions, weight }]) => ({
        key,
        clicks,
        impressions,
        position: impressions === 0 ? 0 : weight / impressions,
      })),
  };
}

/** The first rows of two lists, by {@link compareRows}. */
export function firstRows(rows: readonly SearchRow[], limit: number): readonly SearchRow[] {
  return rows.toSorted(compareRows).slice(0, limit);
}
