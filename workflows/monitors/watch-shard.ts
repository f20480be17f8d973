import { continueAsNew, isCancellation, log, proxyActivities, sleep } from '@temporalio/workflow';
import type { MonitorsActivities } from '../../activities/monitors/index.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

/**
 * The heartbeat is the lease of the shard: a holder that is not heard of for five seconds has lost it, and the next
 * attempt claims the shard. Tried for as long as the run may take.
 */
const { holdShard } = proxyActivities<MonitorsActivities>({
  taskQueue: moduleTaskQueue('monitors'),
  startToCloseTimeout: '13h',
  heartbeatTimeout: '5s',
  retry: { initialInterval: '1s', backoffCoefficient: 1.5, maximumInterval: '5s' },
  summary: 'Run the checks of a shard',
});

const AFTER_FAILURE_MS = 5_000;

/** Has one worker run the checks of a shard, for ever; id `monitor-shard/<n>`. */
export async function watchShard(shard: number): Promise<void> {
  try {
    await holdShard(shard);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.error('The holder of a shard failed; another one begins', { shard });
    await sleep(AFTER_FAILURE_MS);
  }
  await continueAsNew<typeof watchShard>(shard);
}
