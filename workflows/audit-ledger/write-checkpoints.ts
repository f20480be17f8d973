import { proxyActivities } from '@temporalio/workflow';
import type { ChainActivities } from '../../activities/audit-ledger/chains.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const { writeCheckpoints: write } = proxyActivities<Pick<ChainActivities, 'writeCheckpoints'>>({
  taskQueue: moduleTaskQueue('audit-ledger'),
  startToCloseTimeout: '10m',
  // The next hour has checkpoints of its own.
  scheduleToCloseTimeout: '55m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Signs how long every chain is and what its head is, at the start of every hour (`schedules.ts`). */
export async function writeCheckpoints(): Promise<{ namespaces: number }> {
  return { namespaces: await write(new Date(Date.now()).toISOString()) };
}
