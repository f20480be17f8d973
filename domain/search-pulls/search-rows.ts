import { bucketOf, bucketsFor, hashKey } from './row-buckets.ts';
import type { SearchNumbers } from './search-numbers.ts';

/** A row of the search engine: what one value of a dimension had. */
export interface SearchRow extends SearchNumbers {
  readonly key: string;
}

/** Rows by columns, in one order: half the size of a list of rows, in a database and in memory. */
export interface RowColumns {
  readonly keys: readonly string[];
  readonly clicks: readonly number[];
  readonly impressions: readonly number[];
  readonly positions: readonly number[];
}

export const NO_ROWS: RowColumns = { keys: [], clicks: [], impressions: [], positions: [] };

export function toColumns(rows: readonly SearchRow[]): RowColumns {
  return {
    keys: rows.map(({ key }) => key),
    clicks: rows.map(({ clicks }) => clicks),
    impressions: rows.map(({ impressions }) => impressions),
    positions: rows.map(({ position }) => position),
  };
}

export function toRows({ keys, clicks, impressions, positions }: RowColumns): readonly SearchRow[] {
  return keys.map((key, index) => ({
    key,
    clicks: clicks[index] ?? 0,
    impressions: impressions[index] ?? 0,
    position: positions[index] ?? 0,
  }));
}

/** Rows of one key are one row, whichever page of the vendor they came with: a later one replaces an earlier one. */
export function distinctRows(rows: readonly SearchRow[]): readonly SearchRow[] {
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return byKey.size === rows.length ? rows : [...byKey.values()];
}

/** The rows in as many parts as their number asks for, by the bucket of their key. */
export function toParts(rows: readonly SearchRow[]): readonly RowColumns[] {
  if (rows.length === 0) return [];
  const buckets = bucketsFor(rows.length);
  if (buckets === 1) return [toColumns(rows)];
  const parts = Array.from({ length: buckets }, (): SearchRow[] => []);
  for (const row of rows) parts[bucketOf(hashKey(row.key), buckets)]?.push(row);
  return parts.map(toColumns);
}

/** The most clicks first; of the same clicks, the most impressions, and then by key, so that the order is always one. */
export function compareRows(a: SearchRow, b: SearchRow): number {
  return b.clicks - a.clicks || b.impressions - a.impressions || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}
