import { FairleadError } from '../../domain/errors.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { WatchedMonitor } from '../../domain/monitors/monitor-view.ts';
import type { Caller } from '../http/caller.ts';
import type { MonitorsDeps } from './deps.ts';
import { mayKnow } from './monitor-callers.ts';

/** @throws MONITOR_NOT_FOUND also for one of another org */
export async function requireMonitor(
  { monitors }: Pick<MonitorsDeps, 'monitors'>,
  caller: Caller,
  id: string,
): Promise<Monitor> {
  const monitor = await monitors.find(id);
  if (monitor !== null && mayKnow(caller, monitor.org)) return monitor;
  throw new FairleadError('MONITOR_NOT_FOUND', `There is no monitor ${id}; GET /api/monitors lists yours`);
}

/** Monitors with how they are, read in one go. */
export async function withConditions(
  { conditions }: Pick<MonitorsDeps, 'conditions'>,
  monitors: readonly Monitor[],
): Promise<readonly WatchedMonitor[]> {
  const found = await conditions.find(monitors.map(({ id }) => id));
  return monitors.map((monitor) => ({ monitor, condition: found.get(monitor.id) ?? null }));
}
