import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import {
  BUILD_SLOTS_WORKFLOW_ID,
  cleanUpWorkflowId,
  REQUEST_SLOT,
  SLOT_RELEASED,
  type SlotReleased,
  WORKFLOW_TYPES,
  type WorkflowDirectory,
} from '../../domain/deploys/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { updateWithStart } from './update-with-start.ts';

/** What activities tell and ask other workflows, through the Temporal client. */
export function createWorkflowDirectory(client: Client): WorkflowDirectory {
  return {
    requestSlot: (request) =>
      updateWithStart(client, {
        start: [
          WORKFLOW_TYPES.grantBuildSlots,
          {
            workflowId: BUILD_SLOTS_WORKFLOW_ID,
            workflowIdConflictPolicy: 'USE_EXISTING',
            taskQueue: TASK_QUEUE,
            args: [{ holders: [], waiting: [] }],
            staticSummary: 'slots of concurrent builds',
          },
        ],
        update: REQUEST_SLOT,
        updateId: request.buildId,
        arg: request,
      }),
    async releaseSlot(buildId) {
      const message: SlotReleased = { buildId };
      try {
        await client.workflow.getHandle(BUILD_SLOTS_WORKFLOW_ID).signal(SLOT_RELEASED, message);
      } catch (error) {
        // No slot keeper runs: a new one starts with all slots free.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
    async isRunning(workflowId) {
      try {
        const { status } = await client.workflow.getHandle(workflowId).describe();
        return status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },
    async startCleanUp(build) {
      try {
        await client.workflow.start(WORKFLOW_TYPES.cleanUpAfterBuild, {
          workflowId: cleanUpWorkflowId(build.buildId),
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          taskQueue: TASK_QUEUE,
          args: [build],
          staticSummary: `clean up after ${build.service} to ${build.environment}`,
        });
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    },
  };
}
