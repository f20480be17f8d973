import { proxyActivities } from '@temporalio/workflow';
import type { GitHooksActivities } from '../../activities/git-hooks/index.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const { lookAgain: lookAtLeft } = proxyActivities<Pick<GitHooksActivities, 'lookAgain'>>({
  taskQueue: moduleTaskQueue('git-hooks'),
  startToCloseTimeout: '5m',
  scheduleToCloseTimeout: '25m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Has deliveries looked at that were kept and then left, on a schedule: a push is lost with no process that is killed. */
export async function lookAgain(): Promise<void> {
  await lookAtLeft();
}
