import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import {
  BUILD_SLOTS_WORKFLOW_ID,
  cleanUpWorkflowId,
  DEPLOYS_TASK_QUEUE,
  SLOT_REQUESTED,
  WORKFLOW_TYPES,
  type WorkflowDirectory,
} from '../../domain/deploys/messages.ts';

/** What activities tell and ask other workflows, through the Temporal client. */
export function createWorkflowDirectory(client: Client): WorkflowDirectory {
  return {
    async requestSlot(request) {
      await client.workflow.signalWithStart(WORKFLOW_TYPES.grantBuildSlots, {
        workflowId: BUILD_SLOTS_WORKFLOW_ID,
        taskQueue: DEPLOYS_TASK_QUEUE,
        args: [{ holders: [], waiting: [] }],
        signal: SLOT_REQUESTED,
        signalArgs: [request],
        staticSummary: 'slots of concurrent builds',
      });
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
          taskQueue: DEPLOYS_TASK_QUEUE,
          args: [build],
          staticSummary: `clean up after ${build.service} to ${build.environment}`,
        });
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    },
  };
}
