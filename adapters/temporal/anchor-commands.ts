import type { Client } from '@temporalio/client';
import { ANCHORING_WORKFLOWS, anchorWorkflowId } from '../../domain/audit-ledger/anchoring-messages.ts';
import type { AnchorCommands } from '../../domain/audit-ledger/anchoring-ports.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { withinReach } from './within-reach.ts';

/** The API's way to the anchoring workflows. */
export function createAnchorCommands(client: Client): AnchorCommands {
  return {
    anchorDay: (day) =>
      withinReach(client, 'The anchoring', async () => {
        await client.workflow.start(ANCHORING_WORKFLOWS.anchorDay, {
          workflowId: anchorWorkflowId(day),
          workflowIdConflictPolicy: 'USE_EXISTING',
          taskQueue: TASK_QUEUE,
          args: [day],
          staticSummary: `anchor ${day}`,
        });
      }),
  };
}
