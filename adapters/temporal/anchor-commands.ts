import { type Client, isGrpcServiceError } from '@temporalio/client';
import { ANCHORING_WORKFLOWS, anchorWorkflowId } from '../../domain/audit-ledger/anchoring-messages.ts';
import type { AnchorCommands } from '../../domain/audit-ledger/anchoring-ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';

const ANSWER_WITHIN_MS = 10_000;

/** The API's way to the anchoring workflows. */
export function createAnchorCommands(client: Client): AnchorCommands {
  return {
    async anchorDay(day) {
      try {
        await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
          client.workflow.start(ANCHORING_WORKFLOWS.anchorDay, {
            workflowId: anchorWorkflowId(day),
            workflowIdConflictPolicy: 'USE_EXISTING',
            taskQueue: TASK_QUEUE,
            args: [day],
            staticSummary: `anchor ${day}`,
          }),
        );
      } catch (cause) {
        if (!isUnreachable(cause)) throw cause;
        throw new FairleadError('UNAVAILABLE', 'The anchoring cannot be reached; try again shortly', {
          cause,
          retryable: true,
        });
      }
    },
  };
}

/** Errors of the client wrap those of the connection. */
function isUnreachable(error: unknown): boolean {
  if (isGrpcServiceError(error)) return true;
  return error instanceof Error && error.cause !== undefined && isUnreachable(error.cause);
}
