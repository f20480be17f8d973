import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild } from '@temporalio/workflow';
import { rollUpWorkflowId } from '../../domain/monitors/messages.ts';
import { SHARDS } from '../../domain/monitors/monitor.ts';
import { rollUpShardHistory } from './roll-up-shard-history.ts';

/** Starts the roll-up of each shard that has none under way, so that none waits for another; schedule `roll-up-monitors`. */
export async function rollUpMonitors(): Promise<void> {
  await Promise.all(Array.from({ length: SHARDS }, (_, shard) => start(shard)));
}

async function start(shard: number): Promise<void> {
  try {
    await startChild(rollUpShardHistory, {
      workflowId: rollUpWorkflowId(shard),
      args: [shard],
      // It goes on when this has ended.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowRunTimeout: '1h',
    });
  } catch (error) {
    // The one before takes longer.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
