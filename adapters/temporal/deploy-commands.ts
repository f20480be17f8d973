import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import {
  CANCEL_BUILD,
  type CancelOutcome,
  coordinatorWorkflowId,
  type DeployCommands,
  REQUEST_DEPLOY,
  serviceRemovalWorkflowId,
  type TriggerOutcome,
  WORKFLOW_TYPES,
} from '../../domain/deploys/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { answered, isOfConnection } from './answered.ts';
import { assertPayloadSize } from './payload-size.ts';
import { startCoordinator } from './start-coordinator.ts';
import { updateWithStart } from './update-with-start.ts';

/** Less than a caller waits for the answer. */
const REMOVED_WITHIN_MS = 15_000;

/** The API's way to the deploy workflows. Every failure becomes a domain error. */
export function createDeployCommands(client: Client, { removedWithinMs = REMOVED_WITHIN_MS } = {}): DeployCommands {
  return {
    request: (request) => answered(client, () => requestDeploy(client, request)),
    cancel: ({ buildId, service, environment }) =>
      answered(client, async () => {
        const handle = client.workflow.getHandle(coordinatorWorkflowId(service, environment));
        try {
          return await handle.executeUpdate<CancelOutcome, [string]>(CANCEL_BUILD, { args: [buildId] });
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return 'finished';
          throw error;
        }
      }),
    removeService: (service) => answered(client, () => removeService(client, service, removedWithinMs)),
  };
}

async function removeService(
  client: Client,
  service: { id: string; name: string },
  withinMs: number,
): Promise<'removed' | 'removing'> {
  const handle = await client.workflow.start(WORKFLOW_TYPES.removeService, {
    workflowId: serviceRemovalWorkflowId(service.name),
    workflowIdConflictPolicy: 'USE_EXISTING',
    taskQueue: TASK_QUEUE,
    args: [service],
    staticSummary: `remove ${service.name}`,
  });
  try {
    await client.withDeadline(Date.now() + withinMs, () => handle.result());
    return 'removed';
  } catch (error) {
    // It has begun, so it goes on.
    if (isOfConnection(error)) return 'removing';
    throw error;
  }
}

async function requestDeploy(client: Client, request: BuildRequest): Promise<TriggerOutcome> {
  assertPayloadSize(request, 'the deploy request');
  return await updateWithStart(client, {
    start: startCoordinator(request, request),
    update: REQUEST_DEPLOY,
    updateId: request.buildId,
    arg: request,
  });
}
