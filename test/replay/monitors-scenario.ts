import { MONITOR_WORKFLOWS } from '../../domain/monitors/messages.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

/** A round of roll-ups, and a reconcile. */
export async function monitorUpkeep(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const activities = {
    rollUpShard: async () => 1,
    reconcileMonitors: async () => ({ known: 3, archived: 1, returned: 0, problem: null }),
  };
  await withOwnWorker(temporal, { taskQueue: 'monitors', module: 'monitors', activities }, async (execute) => {
    await execute(MONITOR_WORKFLOWS.rollUpMonitors, 'roll-up-monitors');
    await execute(MONITOR_WORKFLOWS.reconcileMonitors, 'reconcile-monitors');
  });
  return { 'roll-up-monitors': 'roll-up-monitors', 'reconcile-monitors': 'reconcile-monitors' };
}
