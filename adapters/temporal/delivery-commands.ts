import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import {
  type DeliveryCommands,
  deliveryWorkflowId,
  type GatherJob,
  gatherWorkflowId,
  NOTIFICATION_SIGNALS,
  NOTIFICATION_WORKFLOWS,
} from '../../domain/notifications/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { startedOnceMore } from './started-once-more.ts';
import { withinReach } from './within-reach.ts';

/** The way to the workflows of deliveries. */
export function createDeliveryCommands(client: Client): DeliveryCommands {
  const reach = <T>(call: () => Promise<T>) => withinReach(client, 'What delivers notices', call);
  return {
    deliver: (id, again = false) =>
      reach(async () => {
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
    gather: (org) =>
      reach(async () => {
        const job: GatherJob = { org, follows: false };
        const options = {
          ...{ workflowId: gatherWorkflowId(org), taskQueue: TASK_QUEUE, args: [job] },
          ...{ signal: NOTIFICATION_SIGNALS.noticed, signalArgs: [] },
          staticSummary: `notices of ${org ?? 'the operators'}`,
        };
        await startedOnceMore(() => client.workflow.signalWithStart(NOTIFICATION_WORKFLOWS.gatherNotices, options));
      }),
  };
}
