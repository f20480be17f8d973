import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import {
  BUILD_SLOTS_WORKFLOW_ID,
  cleanUpWorkflowId,
  DEVIATION_FOUND,
  PRUNE_WORKFLOW_ID,
  REMOVE_TARGET,
  REQUEST_SLOT,
  SLOT_RELEASED,
  type SlotReleased,
  WORKFLOW_TYPES,
  type WorkflowDirectory,
} from '../../domain/deploys/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { startCoordinator } from './start-coordinator.ts';
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
        updateId: request.round === undefined ? request.buildId : `${request.buildId}/${request.round}`,
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
    async requestRepair(target) {
      const [type, options] = startCoordinator(target);
      await client.workflow.signalWithStart(type, { ...options, signal: DEVIATION_FOUND });
    },
    removeTarget: (removal) =>
      updateWithStart(client, {
        start: startCoordinator(removal),
        update: REMOVE_TARGET,
        updateId: `remove/${removal.serviceId}`,
        arg: removal,
      }),
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
    async startPrune({ restMs }) {
      const last = await lastPrune(client);
      if (last !== null && (last.endedAt === null || Date.now() - last.endedAt.getTime() < restMs)) return false;
      await startPrune(client);
      return true;
    },
    async awaitPrune(signal) {
      const handle = await startPrune(client);
      const aborted = Promise.withResolvers<never>();
      const abort = () => aborted.reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      try {
        await Promise.race([handle.result(), aborted.promise]);
      } catch (error) {
        // How it failed is told where it ran.
        if (!(error instanceof WorkflowFailedError)) throw error;
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
  };
}

function startPrune(client: Client) {
  return client.workflow.start(WORKFLOW_TYPES.pruneImages, {
    workflowId: PRUNE_WORKFLOW_ID,
    workflowIdConflictPolicy: 'USE_EXISTING',
    taskQueue: TASK_QUEUE,
    args: [],
    staticSummary: 'prune images: the disk is low',
  });
}

/** When the last one ended, null while it runs; null when none is known. */
async function lastPrune(client: Client): Promise<{ endedAt: Date | null } | null> {
  try {
    const { closeTime } = await client.workflow.getHandle(PRUNE_WORKFLOW_ID).describe();
    return { endedAt: closeTime ?? null };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
