import {
  type Client,
  isGrpcServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
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
import { FairleadError, isErrorCode } from '../../domain/errors.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { assertPayloadSize } from './payload-size.ts';
import { startCoordinator } from './start-coordinator.ts';
import { updateWithStart } from './update-with-start.ts';

const ANSWER_WITHIN_MS = 25_000;

/** The API's way to the deploy workflows. Every failure becomes a domain error. */
export function createDeployCommands(client: Client): DeployCommands {
  return {
    request: (request) => translated(() => requestDeploy(client, request)),
    cancel: ({ buildId, service, environment }) =>
      translated(async () => {
        const handle = client.workflow.getHandle(coordinatorWorkflowId(service, environment));
        try {
          return await handle.executeUpdate<CancelOutcome, [string]>(CANCEL_BUILD, { args: [buildId] });
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return 'finished';
          throw error;
        }
      }),
    removeService: (service) =>
      translated(() =>
        client.workflow.execute(WORKFLOW_TYPES.removeService, {
          workflowId: serviceRemovalWorkflowId(service.name),
          workflowIdConflictPolicy: 'USE_EXISTING',
          taskQueue: TASK_QUEUE,
          args: [service],
          staticSummary: `remove ${service.name}`,
        }),
      ),
  };

  async function translated<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, call);
    } catch (error) {
      throw toDomainError(error);
    }
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

function toDomainError(error: unknown): unknown {
  if (error instanceof FairleadError) return error;
  if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowFailedError) {
    return domainErrorOf(error) ?? error;
  }
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isGrpcServiceError(error)) {
    const message = 'No worker answered in time. An accepted request is not lost: try again in a moment.';
    return new FairleadError('UNAVAILABLE', message, { cause: error, retryable: true });
  }
  return error;
}

/** The domain error that an activity threw, found behind the layers that carried it here. */
function domainErrorOf(error: Error): FairleadError | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
      return new FairleadError(cause.type, cause.message, { details: cause.details?.[0], cause: error });
    }
  }
  return null;
}
