import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { CHAIN_WORKFLOWS, verificationWorkflowId } from '../../domain/audit-ledger/chain-messages.ts';
import {
  tooManyVerifications,
  VERIFICATIONS_AT_ONCE,
  type VerificationRun,
  type VerificationRuns,
} from '../../domain/audit-ledger/verification.ts';
import type { HistoryRequest, HistoryVerdict } from '../../domain/audit-ledger/verify-history.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { withinReach } from './within-reach.ts';

const WHAT = 'Verifications in the background';

/** Place and run of a verification. */
const ID = /^ver_(\d+)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * Verifications as workflows, whose result is the verdict. The workflow ids of an org are its places: Temporal runs one
 * workflow of an id at a time, so an org never has more under way than places.
 */
export function createVerificationRuns(client: Client): VerificationRuns {
  return {
    start: (owner, request) => withinReach(client, WHAT, () => start(owner, request)),
    find: (id, owner) => withinReach(client, WHAT, () => find(id, owner)),
  };

  async function start(owner: string, request: HistoryRequest): Promise<string> {
    for (let place = 1; place <= VERIFICATIONS_AT_ONCE; place += 1) {
      const runId = (await begin(place, owner, request)) ?? (await joined(place, owner, request));
      if (runId !== null) return `ver_${place}_${runId}`;
    }
    throw tooManyVerifications(owner);
  }

  /** Null when the place is taken. */
  async function begin(place: number, owner: string, request: HistoryRequest): Promise<string | null> {
    try {
      const handle = await client.workflow.start(CHAIN_WORKFLOWS.verifyHistory, {
        workflowId: verificationWorkflowId(place, owner),
        taskQueue: TASK_QUEUE,
        args: [request],
        memo: { request: textOf(request) },
        workflowRunTimeout: '1d',
      });
      return handle.firstExecutionRunId;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
      throw error;
    }
  }

  /** The run that has the place, when it is of the same request. */
  async function joined(place: number, owner: string, request: HistoryRequest): Promise<string | null> {
    const { memo, runId } = await client.workflow.getHandle(verificationWorkflowId(place, owner)).describe();
    return memo?.request === textOf(request) ? runId : null;
  }

  async function find(id: string, owner: string): Promise<VerificationRun | null> {
    const [, place, runId] = ID.exec(id) ?? [];
    if (place === undefined || runId === undefined) return null;
    const handle = client.workflow.getHandle(verificationWorkflowId(Number(place), owner), runId);
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

function textOf(request: HistoryRequest): string {
  return JSON.stringify(Object.entries(request).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
