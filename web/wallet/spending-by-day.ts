import type { z } from 'zod';
import type { pageSchema } from '../../domain/page-schema.ts';
import type { entryViewSchema } from '../../domain/wallet/schema.ts';
import type { Bar } from '../look/chart.ts';

const MOST_DAYS = 30;
const DAY_MS = 86_400_000;

type Entries = z.output<ReturnType<typeof pageSchema<typeof entryViewSchema>>>;

/**
 * Tokens spent on each of the last days (UTC), as far as these entries reach back: a day of which some are missing is not
 * shown, for it would be too low. Null when not even two days are known.
 * @param page the newest entries, newest first
 */
export function spendingByDay({ items, nextCursor }: Entries, now: Date): readonly Bar[] | null {
  const oldest = items.at(-1);
  if (oldest === undefined) return null;
  const today = dayOf(now.toISOString());
  const known = nextCursor === null ? today - MOST_DAYS + 1 : dayOf(oldest.at) + 1;
  const first = Math.max(known, dayOf(oldest.at), today - MOST_DAYS + 1);
  if (today - first < 1) return null;
  const spent = new Map<number, number>();
  for (const { kind, amount, at } of items) {
    if (kind === 'debit') spent.set(dayOf(at), (spent.get(dayOf(at)) ?? 0) + amount);
  }
  return Array.from({ length: today - first + 1 }, (_, index) => {
    const day = first + index;
    return { label: new Date(day * DAY_MS).toISOString().slice(0, 10), value: spent.get(day) ?? 0 };
  });
}

/** Days since 1970. */
function dayOf(iso: string): number {
  return Math.floor(Date.parse(iso) / DAY_MS);
}
