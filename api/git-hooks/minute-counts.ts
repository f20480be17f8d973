import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';

const MINUTE_MS = 60_000;
const MOST_KEYS = 10_000;

export interface MinuteCounts {
  /** What was counted of a key in its minute, which began with the first. */
  of(key: string): number;
  /** Counts one more. @returns all of the minute */
  add(key: string): number;
}

/** Counts by key and minute in this process. Of more keys than it keeps, those that were not looked at for longest begin anew. */
export function createMinuteCounts(now: Clock): MinuteCounts {
  const windows = new LRUCache<string, { readonly since: number; count: number }>({ max: MOST_KEYS });
  const current = (key: string) => {
    const window = windows.get(key);
    return window !== undefined && now().getTime() - window.since < MINUTE_MS ? window : undefined;
  };
  return {
    of: (key) => current(key)?.count ?? 0,
    add(key) {
      const window = current(key) ?? { since: now().getTime(), count: 0 };
      if (window.count === 0) windows.set(key, window);
      window.count += 1;
      return window.count;
    },
  };
}
