import { proxyActivities } from '@temporalio/workflow';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

export * from '../../workflows/index.ts';

/** A module whose activities last for hours. */
export const LONG_MODULE = 'long-work';

const { holdSlot } = proxyActivities<{ holdSlot(): Promise<void> }>({
  taskQueue: moduleTaskQueue(LONG_MODULE),
  startToCloseTimeout: '2h',
  heartbeatTimeout: '30s',
});

/** That many activities of an hour at once. */
export async function holdSlots(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => holdSlot()));
}
