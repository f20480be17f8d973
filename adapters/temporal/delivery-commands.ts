import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import {
  type DeliveryCommands,
  deliveryWorkflowId,
  NOTIFICATION_WORKFLOWS,
} from '../../domain/notifications/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { withinReach } from './within-reach.ts';

/** The way to the workflows of deliveries. */
export function createDeliveryCommands(client: Client): DeliveryCommands {
  return {
    deliver: (id, again = false) =>
      withinReach(client, 'What delivers notices', async () => {
        try {
          await client.workflow.start(NOTIFICATION_WORKFLOWS.deliver, {
            workflowId: deliveryWorkflowId(id),
            workflowIdConflictPolicy: 'USE_EXISTING',
            workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
            taskQueue: TASK_QUEUE,
            args: [{ id, again }],
            staticSummary: `notice ${id}`,
          });
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
      }),
  };
}
