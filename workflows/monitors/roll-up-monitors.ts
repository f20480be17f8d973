import { proxyActivities } from '@temporalio/workflow';
import type { UpkeepActivities } from '../../activities/monitors/upkeep.ts';
import { SHARDS } from '../../domain/monitors/monitor.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const { rollUpShard } = proxyActivities<UpkeepActivities>({
  taskQueue: moduleTaskQueue('monitors'),
  startToCloseTimeout: '20m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Rolls results up, shard by shard; schedule `roll-up-monitors`. */
export async function rollUpMonitors(): Promise<void> {
  for (let shard = 0; shard < SHARDS; shard += 1) await rollUpShard(shard);
}
