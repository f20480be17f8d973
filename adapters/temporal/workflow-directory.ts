import {
  type Client,
  QueryNotRegisteredError,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import {
  BUILD_SLOTS_WORKFLOW_ID,
  BUILDS_IN_HAND,
  cleanUpWorkflowId,
  coordinatorWorkflowId,
  DEVIATION_FOUND,
  GRANT_DECIDED,
  PRUNE_WORKFLOW_ID,
  REMOVE_TARGET,
  REQUEST_SLOT,
  SLOT_RELEASED,
  type SlotReleased,
  WORKFLOW_TYPES,
  type WorkflowDirectory,
} from '../../domain/deploys/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
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
    async releaseSlot(buildId, round) {
      const message: SlotReleased = round === undefined ? { buildId } : { buildId, round };
      // Where no slot keeper runs, a new one starts with all slots free.
      await signalIfRunning(client, BUILD_SLOTS_WORKFLOW_ID, SLOT_RELEASED, message);
    },
    isRunning: async (workflowId) => isOpen(await latestRun(client, workflowId)),
    async isInHand({ service, environment }, buildId) {
      const coordinator = coordinatorWorkflowId(service, environment);
      const run = await latestRun(client, coordinator);
      if (run === null || !isOpen(run)) return false;
      // Also the run that began the build is asked: what it began it may have lost, with an end that could not be written.
      return await knowsBuild(client, { coordinator, runId: run.runId, buildId });
    },
    async tellDecided({ service, environment }) {
      await signalIfRunning(client, coordinatorWorkflowId(service, environment), GRANT_DECIDED);
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

async function signalIfRunning(client: Client, workflowId: string, ...signal: [string, ...unknown[]]): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).signal(...signal);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** The run of a workflow that began last; null when there is none. */
async function latestRun(client: Client, workflowId: string): Promise<WorkflowExecutionDescription | null> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

function isOpen(run: WorkflowExecutionDescription | null): boolean {
  return run?.status.name === 'RUNNING' || run?.status.name === 'CONTINUED_AS_NEW';
}

const ANSWERED_WITHIN_MS = 5_000;

async function knowsBuild(
  client: Client,
  { coordinator, runId, buildId }: { readonly coordinator: string; readonly runId: string; readonly buildId: string },
): Promise<boolean> {
  const asked = client.workflow.getHandle(coordinator, runId);
  try {
    const builds = await client.withDeadline(Date.now() + ANSWERED_WITHIN_MS, () =>
      asked.query<readonly string[]>(BUILDS_IN_HAND),
    );
    return builds.includes(buildId);
  } catch (error) {
    // A worker of an earlier version answers for it, which does not say.
    if (error instanceof QueryNotRegisteredError) return true;
    const message = `The coordinator ${coordinator} did not say which builds it knows; look at its workflow in the Temporal UI`;
    throw new FairleadError('UNAVAILABLE', message, { cause: error, system: 'temporal', retryable: true });
  }
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
