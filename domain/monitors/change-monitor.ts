import { FairleadError } from '../errors.ts';
import { isWatched, type Monitor } from './monitor.ts';
import type { MonitorStore } from './ports.ts';
import { isBeingRemoved } from './registration.ts';

/** More at once on one monitor than this is nobody's work. */
const ATTEMPTS = 8;

/**
 * Changes a monitor as it is by now: read again where somebody else changed it meanwhile.
 * @param change gives the next version, or null for none
 * @returns the version that is stored in the end; null when there is no such monitor
 * @throws CONFLICT (retryable) when others change it all the time; what `change` throws; UNAVAILABLE
 */
export async function changeMonitor(
  monitors: Pick<MonitorStore, 'find' | 'replace'>,
  id: string,
  change: (monitor: Monitor) => Monitor | null,
): Promise<Monitor | null> {
  for (let attempt = 1; ; attempt += 1) {
    const monitor = await monitors.find(id);
    const next = monitor === null ? null : change(monitor);
    if (next === null) return monitor;
    try {
      await monitors.replace(next);
      return next;
    } catch (error) {
      const isConflict = error instanceof FairleadError && error.code === 'CONFLICT';
      if (!isConflict || attempt === ATTEMPTS) throw error;
    }
  }
}

type Changeable = Omit<Monitor, 'id' | 'number' | 'resumedAt' | 'createdAt' | 'updatedAt' | 'revision'>;

/** The next version of a monitor; null where the changes change nothing, and of one that is being deleted. */
export function changedMonitor(monitor: Monitor, changes: Partial<Changeable>, at: Date): Monitor | null {
  if (isBeingRemoved(monitor)) return null;
  const next: Monitor = { ...monitor, ...changes };
  if (JSON.stringify(next) === JSON.stringify(monitor)) return null;
  const resumed = !isWatched(monitor) && isWatched(next) ? { resumedAt: at } : {};
  return { ...next, ...resumed, updatedAt: at, revision: monitor.revision + 1 };
}
