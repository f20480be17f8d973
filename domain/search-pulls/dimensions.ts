/** Types of search whose numbers can be pulled; each has numbers of its own (Search Analytics, `type`). */
export const SEARCH_TYPES = ['web', 'image', 'video', 'news'] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];

/** Each is asked by itself, day by day: `searchAppearance` goes with no other dimension, and queries of one day load the vendor least. */
export const ROW_DIMENSIONS = ['query', 'page', 'country', 'device', 'searchAppearance'] as const;
export type RowDimension = (typeof ROW_DIMENSIONS)[number];

/** All that is pulled: the totals of the days, which no other dimension adds up to, and the rows of each dimension. */
export const DIMENSIONS = ['date', ...ROW_DIMENSIONS] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The most rows of one answer of the vendor. */
export const PAGE_ROWS = 25_000;

/** The vendor shows the first so many rows of a day, a type and a dimension, and says nothing of the others. */
export const MOST_ROWS_A_DAY = 50_000;

/** Whether the rows of a day may be some of its rows only: the vendor's limit was reached. */
export function isTruncated(rows: number): boolean {
  return rows >= MOST_ROWS_A_DAY;
}
