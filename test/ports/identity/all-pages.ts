import assert from 'node:assert/strict';
import type { Page, PageRequest } from '../../../domain/page.ts';

/** Reads a list to its end, page by page. */
export async function allPages<T>(list: (page: PageRequest) => Promise<Page<T>>, limit: number): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await list({ cursor, limit });
    assert.ok(page.items.length <= limit);
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}
