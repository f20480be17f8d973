import type { z } from 'zod';
import type { ApiClient } from './api-client.ts';
import type { Output } from './output.ts';
import { pageOf } from './replies.ts';

/** The most that the API puts on one page. */
const PAGE = 200;

/** The most that a list is asked for at once. */
export const MOST = 10_000;

export interface ListRequest {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly limit: number;
}

/**
 * The first `limit` of a list, over as many pages as it takes; `nextCursor` says that there are more, and `total` how many there are, where
 * the API counts them.
 */
export async function readPages<T extends z.ZodType>(
  api: ApiClient,
  item: T,
  { path, query = {}, limit }: ListRequest,
): Promise<{ items: z.output<T>[]; nextCursor: string | null; total?: number }> {
  const items: z.output<T>[] = [];
  let cursor: string | undefined;
  let total: number | undefined;
  do {
    const asked = { ...query, cursor, limit: Math.min(PAGE, limit - items.length) };
    const page = await api.call(pageOf(item), { method: 'GET', path, query: asked });
    items.push(...page.items);
    total = page.total;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && items.length < limit);
  return { items, nextCursor: cursor ?? null, ...(total !== undefined && { total }) };
}

/** Says that a list was cut off, if it was. */
export function noteMore(output: Output, page: { readonly nextCursor: string | null }, limit: number): void {
  if (page.nextCursor !== null) output.note(`There are more than ${limit}: \`--limit <count>\``);
}
