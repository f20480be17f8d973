import type { Page, PageRequest } from './page.ts';

/** The largest page that a store gives. */
const PAGE_LIMIT = 200;

/**
 * Every item of a list that is read in pages, one page in memory at a time. Whatever is there from the first page to the
 * last is given once; what comes or goes meanwhile may be given or not.
 *
 * @throws what `readPage` throws; the reason of the signal between two items
 */
export async function* eachItem<T>(
  readPage: (page: PageRequest) => Promise<Page<T>>,
  signal?: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | null = null;
  do {
    const { items, nextCursor }: Page<T> = await readPage({ cursor, limit: PAGE_LIMIT });
    for (const item of items) {
      signal?.throwIfAborted();
      yield item;
    }
    cursor = nextCursor;
  } while (cursor !== null);
}
