import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';

const MINUTE_MS = 60_000;
const MOST_CONNECTIONS = 10_000;

/** Branches and tags of a connection that are looked at each by itself in a minute. */
export const BRANCHES_PER_MINUTE = 200;

export type BranchLimit = (pushed: { readonly connectionId: string; readonly ref: string }) => boolean;

/**
 * Whether a branch or tag is among the first of its connection in a minute. Of those beyond, as when a mirror is pushed with
 * thousands, no workflow is started each: one look compares all of the repository, and takes some at a time.
 */
export function createBranchLimit(perMinute: number, now: Clock): BranchLimit {
  const windows = new LRUCache<string, { readonly since: number; readonly refs: Set<string> }>({
    max: MOST_CONNECTIONS,
  });
  return ({ connectionId, ref }) => {
    const at = now().getTime();
    let window = windows.get(connectionId);
    if (window === undefined || at - window.since >= MINUTE_MS) {
      window = { since: at, refs: new Set() };
      windows.set(connectionId, window);
    }
    if (window.refs.size < perMinute) window.refs.add(ref);
    return window.refs.has(ref);
  };
}
