import { proxyActivities } from '@temporalio/workflow';
import type { IncidentsActivities } from '../../activities/incidents/index.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

/** The next one by the clock makes up for one that fails. */
const { resumeEscalations: resume } = proxyActivities<IncidentsActivities>({
  taskQueue: moduleTaskQueue('incidents'),
  startToCloseTimeout: '5m',
  heartbeatTimeout: '30s',
  scheduleToCloseTimeout: '25m',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Begins the workflows of escalated incidents once more that were lost, with what is on record; schedule `resume-escalations`. */
export async function resumeEscalations(): Promise<{ readonly late: number }> {
  return await resume();
}
