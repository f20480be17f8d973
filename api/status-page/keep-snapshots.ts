import { setTimeout as delay } from 'node:timers/promises';
import type { StatusPageDeps } from './deps.ts';
import type { StatusReader } from './status-reader.ts';

/** How old a copy may become. */
const EVERY_MS = 30_000;

/**
 * Keeps a copy of the first page of the installation's own org on disk, written anew every 30 s as long as it can be read,
 * until `stopping`. A page that cannot be read leaves the last copy, which says of when it is.
 */
export async function keepSnapshots(
  deps: Pick<StatusPageDeps, 'snapshots' | 'platformOrg' | 'log'>,
  reader: StatusReader,
  stopping: AbortSignal,
  everyMs = EVERY_MS,
): Promise<void> {
  while (!stopping.aborted) {
    try {
      const { stale } = await reader.page(deps.platformOrg, 1);
      await deps.snapshots.keep(deps.platformOrg, stale);
    } catch (err) {
      deps.log.warn({ err }, 'no copy of the status page is kept');
    }
    // Nothing waits for it, and no process lives for it.
    await delay(everyMs, undefined, { signal: stopping, ref: false }).catch(() => undefined);
  }
}
