import { type Client, isGrpcServiceError, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { CHAIN_WORKFLOWS, verificationWorkflowId } from '../../domain/audit-ledger/chain-messages.ts';
import type { VerificationRun, VerificationRuns } from '../../domain/audit-ledger/verification.ts';
import type { HistoryVerdict } from '../../domain/audit-ledger/verify-history.ts';
import { FairleadError } from '../../domain/errors.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';

const ANSWER_WITHIN_MS = 10_000;

/** Verifications as workflows: one run each, whose result is the verdict. */
export function createVerificationRuns(client: Client): VerificationRuns {
  return {
    start: (id, owner, request) =>
      reached(async () => {
        await client.workflow.start(CHAIN_WORKFLOWS.verifyHistory, {
          workflowId: verificationWorkflowId(id, owner),
          taskQueue: TASK_QUEUE,
          args: [request],
          workflowRunTimeout: '1d',
        });
      }),
    find: (id, owner) => reached(() => find(verificationWorkflowId(id, owner), id)),
  };

  async function find(workflowId: string, id: string): Promise<VerificationRun | null> {
    const handle = client.workflow.getHandle(workflowId);
    try {
      const { status } = await handle.describe();
      if (status.name === 'RUNNING') return { id, status: 'running', verdict: null };
      return { id, status: 'completed', verdict: (await handle.result()) as HistoryVerdict };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      if (error instanceof WorkflowFailedError) return { id, status: 'failed', verdict: null };
      throw error;
    }
  }

  async function reached<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, call);
    } catch (cause) {
      if (!isUnreachable(cause)) throw cause;
      const message = 'Verifications in the background cannot be reached; try again shortly';
      throw new FairleadError('UNAVAILABLE', message, { cause, retryable: true });
    }
  }
}

/** Errors of the client wrap those of the connection. */
function isUnreachable(error: unknown): boolean {
  if (isGrpcServiceError(error)) return true;
  return error instanceof Error && error.cause !== undefined && isUnreachable(error.cause);
}
