/**
 * The rows of a period and a dimension are stored in parts, each with the rows whose key falls into its bucket. All rows
 * of one key, of whatever period, are found by the same hash, and rows are added up a few buckets at a time.
 */

/** Rows of a part; a document of the longest URLs stays far below what a database takes. */
const ROWS_A_PART = 1_000;
const MOST_BUCKETS = 1_024;

/** How many parts so many rows are stored in: a power of two, so that a part of few buckets is a union of parts of many. */
export function bucketsFor(rows: number): number {
  let buckets = 1;
  while (buckets < MOST_BUCKETS && rows > buckets * ROWS_A_PART) buckets *= 2;
  return buckets;
}

/** FNV-1a of the UTF-16 code units, with its bits mixed once more, as low bits alone choose the bucket. */
export function hashKey(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}

export function bucketOf(hash: number, buckets: number): number {
  return (hash ^ (hash >>> 16)) & (buckets - 1);
}
