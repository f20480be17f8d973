import { pruneImages as prune } from './activity-proxies.ts';

/** Removes images, build cache and archives that no release needs; daily (`schedules.ts`). */
export async function pruneImages(): Promise<{ removed: number; reclaimedBytes: number }> {
  return await prune();
}
