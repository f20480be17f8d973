import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild } from '@temporalio/workflow';
import { shardWorkflowId } from '../../domain/monitors/messages.ts';
import { SHARDS } from '../../domain/monitors/monitor.ts';
import { watchShard } from './watch-shard.ts';

/** Starts the workflow of each shard that has none; schedule `start-shards`. */
export async function startShards(): Promise<void> {
  await Promise.all(Array.from({ length: SHARDS }, (_, shard) => start(shard)));
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
