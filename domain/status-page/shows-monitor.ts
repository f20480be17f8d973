import type { Monitor } from '../monitors/monitor.ts';
import type { MonitorStore } from '../monitors/ports.ts';

/** Whether the status page of an org shows a monitor. */
export function isShown(monitor: Monitor | null, org: string): monitor is Monitor {
  return monitor?.org === org && monitor.isPublic && monitor.archivedAt === null;
}

/** The same of a monitor as it is now. @throws UNAVAILABLE (retryable) */
export function createShowsMonitor(
  monitors: Pick<MonitorStore, 'find'>,
): (org: string, monitorId: string) => Promise<boolean> {
  return async (org, monitorId) => isShown(await monitors.find(monitorId), org);
}
