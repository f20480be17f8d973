import { proxyActivities } from '@temporalio/workflow';
import type { LogsActivities } from '../../activities/logs/index.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

/**
 * Tried for as long as the run may take. A worker that was killed is missed after 10 s, and another one, or itself when it
 * is back, goes on.
 */
const { collectOutput: collect } = proxyActivities<LogsActivities>({
  taskQueue: moduleTaskQueue('logs'),
  startToCloseTimeout: '2h',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' },
  summary: 'Write what services print to their logs',
});

/**
 * Has one worker collect what services print. The schedule (`schedules.ts`) sees to it that it always runs, once: when the
 * activity ends, as it does every hour, the next run begins at once.
 */
export async function collectOutput(): Promise<void> {
  await collect();
}
