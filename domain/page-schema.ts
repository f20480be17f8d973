import { z } from 'zod';

/** A page of a list, as replies show it; `nextCursor` is null on the last one. */
export function pageSchema<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/** Query parameters of every list. */
export const pageQueryShape = {
  cursor: z.string().min(1).max(500).optional().describe('`nextCursor` of the page before'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
} as const;
