import { proxyActivities } from '@temporalio/workflow';
import type { UpkeepActivities } from '../../activities/monitors/upkeep.ts';
import type { ReconcileSummary } from '../../domain/monitors/messages.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

/** The next one by the clock makes up for one that fails. */
const { reconcileMonitors: reconcile, removeArchivedMonitors } = proxyActivities<UpkeepActivities>({
  taskQueue: moduleTaskQueue('monitors'),
  startToCloseTimeout: '5m',
  heartbeatTimeout: '30s',
  scheduleToCloseTimeout: '25m',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/**
 * Makes the monitors what the installation serves, and deletes those that were archived for long enough, whether or not it is
 * known what is served; schedule `reconcile-monitors`.
 */
export async function reconcileMonitors(): Promise<ReconcileSummary> {
  const [summary, removed] = await Promise.allSettled([reconcile(), removeArchivedMonitors()]);
  if (removed.status === 'rejected') throw removed.reason;
  if (summary.status === 'rejected') throw summary.reason;
  return { ...summary.value, removed: removed.value };
}
