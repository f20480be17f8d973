import type { z } from 'zod';
import { decodeCursor, toPage } from '../../../adapters/mongo/cursor.ts';
import type { Page, PageRequest } from '../../../domain/page.ts';

/** The order of a list, and the cursor that goes with it. */
export interface ListOrder<T, K extends readonly (string | number)[]> {
  readonly cursor: z.ZodType<K>;
  readonly keyOf: (item: T) => K;
  /** Negative when `a` comes first. */
  readonly compare: (a: K, b: K) => number;
}

/** One page of the items, with cursors of the same form as the stores on MongoDB give. @throws VALIDATION_FAILED */
export function pageOf<T, K extends readonly (string | number)[]>(
  items: Iterable<T>,
  { cursor, limit }: PageRequest,
  { cursor: schema, keyOf, compare }: ListOrder<T, K>,
): Page<T> {
  const after = decodeCursor(cursor, schema);
  const rest = [...items]
    .filter((item) => after === null || compare(keyOf(item), after) > 0)
    .sort((a, b) => compare(keyOf(a), keyOf(b)));
  return toPage(rest.slice(0, limit + 1), limit, keyOf);
}

/** Newest first; of the same moment, the greater id first. */
export function newestFirst(a: readonly [number, string], b: readonly [number, string]): number {
  return b[0] - a[0] || (a[1] < b[1] ? 1 : a[1] > b[1] ? -1 : 0);
}

/** By one text, in the order of its code units. */
export function byText(a: readonly [string], b: readonly [string]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}
