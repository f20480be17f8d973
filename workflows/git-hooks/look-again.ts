import { patched, proxyActivities } from '@temporalio/workflow';
import type { GitHooksActivities } from '../../activities/git-hooks/index.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const taskQueue = moduleTaskQueue('git-hooks');
const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' } as const;

const { lookAgain: lookAtLeft } = proxyActivities<Pick<GitHooksActivities, 'lookAgain'>>({
  taskQueue,
  startToCloseTimeout: '5m',
  scheduleToCloseTimeout: '25m',
  retry,
});

const { finishRemovals } = proxyActivities<Pick<GitHooksActivities, 'finishRemovals'>>({
  taskQueue,
  startToCloseTimeout: '2m',
  scheduleToCloseTimeout: '4m',
  retry,
});

/**
 * Goes on with what was begun and left, on a schedule: has deliveries looked at that were kept, and finishes removals of
 * connections. A push is lost with no process that is killed, and no hook is left behind.
 */
export async function lookAgain(): Promise<void> {
  await lookAtLeft();
  if (patched('finish-removals')) await finishRemovals();
}
