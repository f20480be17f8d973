import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { isCancellation, log, ParentClosePolicy, patched, proxyActivities, startChild } from '@temporalio/workflow';
import type { UpkeepActivities } from '../../activities/monitors/upkeep.ts';
import { shardWorkflowId } from '../../domain/monitors/messages.ts';
import { SHARDS } from '../../domain/monitors/monitor.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';
import { watchShard } from './watch-shard.ts';

/** The next minute tries again. Where no worker has the settings of monitors, it ends before the next one. */
const { pingDeadMan } = proxyActivities<Pick<UpkeepActivities, 'pingDeadMan'>>({
  taskQueue: moduleTaskQueue('monitors'),
  startToCloseTimeout: '45s',
  scheduleToCloseTimeout: '45s',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '100s', maximumAttempts: 1 },
  summary: 'Tell whoever watches the uptime monitor that its checks are on time',
});

/** It started shards, and did nothing else. */
const PINGS = 'start-shards-pings-dead-man';

/** Each minute: starts the workflow of each shard that has none, and tells outside that all goes well; schedule `start-shards`. */
export async function startShards(): Promise<void> {
  await Promise.all(Array.from({ length: SHARDS }, (_, shard) => start(shard)));
  if (!patched(PINGS)) return;
  try {
    await pingDeadMan();
  } catch (error) {
    if (isCancellation(error)) throw error;
    // Who waits for the call hears nothing, and raises the alarm.
    log.warn('MONITOR_DEAD_MAN_URL was not called', { error });
  }
}

async function start(shard: number): Promise<void> {
  try {
    await startChild(watchShard, {
      workflowId: shardWorkflowId(shard),
      args: [shard],
      // It goes on when this has ended.
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
