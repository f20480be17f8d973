import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, patched, workflowInfo } from '@temporalio/workflow';
import { PRUNE_WORKFLOW_ID } from '../../domain/deploys/messages.ts';
import { pruneImages as prune } from './activity-proxies.ts';

interface Pruned {
  readonly removed: number;
  readonly reclaimedBytes: number;
}

/**
 * Removes images, build cache and archives that nothing needs; id `prune-images`, so that it runs once at a time. Started
 * when the disk is low, and daily by a schedule (`schedules.ts`), which names its runs by their time: such a run starts
 * the one of that id, or leaves it to the one that is at work.
 *
 * @returns null when another was at work
 */
export async function pruneImages(): Promise<Pruned | null> {
  if (workflowInfo().workflowId === PRUNE_WORKFLOW_ID || !patched('one-prune-at-a-time')) return await prune();
  try {
    return await executeChild(pruneImages, { workflowId: PRUNE_WORKFLOW_ID });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    throw error;
  }
}
