import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { CHAIN_WORKFLOWS, verificationWorkflowId } from '../../domain/audit-ledger/chain-messages.ts';
import type { VerificationRun, VerificationRuns } from '../../domain/audit-ledger/verification.ts';
import type { HistoryVerdict } from '../../domain/audit-ledger/verify-history.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { withinReach } from './within-reach.ts';

const WHAT = 'Verifications in the background';

/** Verifications as workflows: one run each, whose result is the verdict. */
export function createVerificationRuns(client: Client): VerificationRuns {
  return {
    start: (id, owner, request) =>
      withinReach(client, WHAT, async () => {
        await client.workflow.start(CHAIN_WORKFLOWS.verifyHistory, {
          workflowId: verificationWorkflowId(id, owner),
          taskQueue: TASK_QUEUE,
          args: [request],
          workflowRunTimeout: '1d',
        });
      }),
    find: (id, owner) => withinReach(client, WHAT, () => find(verificationWorkflowId(id, owner), id)),
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
}
