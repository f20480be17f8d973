import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, isCancellation, log, patched } from '@temporalio/workflow';
import type { SyncSummary } from '../../domain/properties/domain-map.ts';
import { SYNC_WORKFLOW_ID } from '../../domain/properties/messages.ts';
import { lookAtZones, syncDomainMap } from './sync-domain-map.ts';

/**
 * Syncs under the id that people's syncs have; schedule `property-sync`. The zones are looked at every day, also where the map
 * cannot be read. @returns null where one ran already
 */
export async function syncDaily(): Promise<SyncSummary | null> {
  try {
    return await executeChild(syncDomainMap, { workflowId: SYNC_WORKFLOW_ID, staticSummary: 'daily sync' });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) {
      log.info('A sync runs already');
      return null;
    }
    if (!isCancellation(error) && patched('zones-without-map')) await lookAtZones();
    throw error;
  }
}
