import { isCancellation, log, patched, proxyActivities } from '@temporalio/workflow';
import type { UpkeepActivities } from '../../activities/monitors/upkeep.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const taskQueue = moduleTaskQueue('monitors');

/** Tried for some minutes, as long as a restart takes; the run that comes after them goes on where this one ended. */
const { rollUpShard } = proxyActivities<UpkeepActivities>({
  taskQueue,
  startToCloseTimeout: '20m',
  heartbeatTimeout: '30s',
  scheduleToCloseTimeout: '50m',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '1m', maximumAttempts: 6 },
});
const { tellRollUpFailed } = proxyActivities<UpkeepActivities>({
  taskQueue,
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: '2m',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '1m', maximumAttempts: 3 },
});

/** The run that comes after this one looks again. */
const { watchObjectives } = proxyActivities<UpkeepActivities>({
  taskQueue,
  startToCloseTimeout: '3m',
  heartbeatTimeout: '30s',
  scheduleToCloseTimeout: '5m',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '1m', maximumAttempts: 3 },
});

/** It rolled up, and did nothing else. */
const OBJECTIVES = 'roll-up-watches-objectives';

/**
 * Rolls the results of one shard up, and looks how fast error budgets go by them; id `roll-up-shard/<n>`. A roll-up that fails is
 * told the operators, and left to the next run.
 */
export async function rollUpShardHistory(shard: number): Promise<void> {
  try {
    await rollUpShard(shard);
  } catch (error) {
    if (!isCancellation(error)) await tellRollUpFailed(shard);
    throw error;
  }
  if (!patched(OBJECTIVES)) return;
  try {
    await watchObjectives(shard);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('Error budgets were not looked at', { shard, error });
  }
}
