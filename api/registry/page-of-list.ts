import { FairleadError } from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';

/**
 * A page of a list that its entry holds as a whole, ordered by a text of each item.
 * @throws VALIDATION_FAILED for a cursor that was not given out
 */
export function pageOfList<T>(
  items: readonly T[],
  { cursor, limit }: PageRequest,
  keyOf: (item: T) => string,
): Page<T> {
  const after = cursor === null ? null : readCursor(cursor);
  const rest = items
    .filter((item) => after === null || keyOf(item) > after)
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { items: page, nextCursor: rest.length > limit && last !== undefined ? writeCursor(keyOf(last)) : null };
}

const writeCursor = (key: string): string => Buffer.from(key, 'utf8').toString('base64url');

function readCursor(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString('utf8');
  if (writeCursor(key) === cursor) return key;
  const message = 'cursor: pass the nextCursor of an earlier page unchanged, or none for the first page';
  throw new FairleadError('VALIDATION_FAILED', message, {
    details: [{ field: 'cursor', message: 'not a cursor of this list' }],
  });
}
