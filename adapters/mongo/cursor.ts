import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import type { Page } from '../../domain/page.ts';
import { parseJson } from '../../domain/parse-json.ts';

/** Writes the sort key of the last item of a page as an opaque cursor. */
export function encodeCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key), 'utf8').toString('base64url');
}

/** Reads a cursor back by its schema; null stays null. @throws VALIDATION_FAILED for anything not made by {@link encodeCursor}. */
export function decodeCursor<T extends readonly (string | number)[]>(
  cursor: string | null,
  schema: z.ZodType<T>,
): T | null {
  if (cursor === null) return null;
  const result = schema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (result.success && encodeCursor(result.data) === cursor) return result.data;
  const message = 'cursor: pass the nextCursor of an earlier page unchanged, or none for the first page';
  throw new FairleadError('VALIDATION_FAILED', message, {
    details: [{ field: 'cursor', message: 'not a cursor of this list' }],
  });
}

/** Cuts `limit + 1` fetched items to a page: the extra one only tells that there is more. */
export function toPage<T>(
  fetched: readonly T[],
  limit: number,
  keyOf: (item: T) => readonly (string | number)[],
): Page<T> {
  const items = fetched.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: fetched.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null };
}

/** Cursor key of lists ordered by time, then id. */
export const timeAndId = z.tuple([z.int(), z.string().max(100)]);

/** Condition for what comes after a cursor in a list with the newest first. */
export function olderThan(field: string, cursor: readonly [number, string] | null): Record<string, unknown> {
  if (cursor === null) return {};
  const at = new Date(cursor[0]);
  return { $or: [{ [field]: { $lt: at } }, { [field]: at, _id: { $lt: cursor[1] } }] };
}
