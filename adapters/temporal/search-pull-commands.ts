import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { FairleadError } from '../../domain/errors.ts';
import {
  type EstateJob,
  type PropertyJob,
  type PullUnderWay,
  SEARCH_PULL_WORKFLOW_ID,
  SEARCH_PULLS_WORKFLOWS,
} from '../../domain/search-pulls/messages.ts';
import type { PullCommands } from '../../domain/search-pulls/ports.ts';
import type { PropertyPull } from '../../domain/search-pulls/pull-run.ts';
import { moduleTaskQueue, TASK_QUEUE } from '../../domain/task-queue.ts';
import { isOfConnection, toDomainError } from './answered.ts';
import { withinReach } from './within-reach.ts';

/** A workflow is asked for its result again after so long, so that a connection that went silent is noticed. */
const ASK_MS = 20_000;
/** Of the queues of one name, in Temporal's API. */
const ACTIVITIES = 2;

/** The way to the workflows of pulls. Which pull runs stands in the memo of its workflow. */
export function createSearchPullCommands(client: Client): PullCommands {
  const reach = <T>(call: () => Promise<T>) => withinReach(client, 'What pulls search numbers', call);

  /** @returns the id of the run. @throws PULL_IN_PROGRESS */
  const start = (workflowType: string, job: EstateJob | PropertyJob, underWay: PullUnderWay, summary: string) =>
    reach(async () => {
      try {
        const handle = await client.workflow.start(workflowType, {
          workflowId: SEARCH_PULL_WORKFLOW_ID,
          workflowIdConflictPolicy: 'FAIL',
          taskQueue: TASK_QUEUE,
          args: [job],
          memo: { ...underWay },
          staticSummary: summary,
        });
        return handle.firstExecutionRunId;
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        const holder = await readHolder(client);
        // The same request, whose first answer was lost.
        if (underWay.runId !== null && holder === underWay.runId) return null;
        throw inProgress(holder);
      }
    });

  return {
    async isServed() {
      const request = {
        namespace: client.options.namespace,
        taskQueue: { name: moduleTaskQueue('search-pulls') },
        taskQueueType: ACTIVITIES,
      };
      const { pollers } = await reach(() => client.workflowService.describeTaskQueue(request));
      return (pollers ?? []).length > 0;
    },
    async pullAll({ id: runId, trigger, requestedBy, startedAt, since }) {
      const [began, from] = [startedAt.toISOString(), since.toISOString()];
      const job: EstateJob = { runId, trigger, requestedBy, startedAt: began, since: from };
      await start(SEARCH_PULLS_WORKFLOWS.pullEstate, job, { runId }, `search pull ${runId} (${trigger})`);
    },
    async pullOne(job, until) {
      const { pullProperty } = SEARCH_PULLS_WORKFLOWS;
      const runId = await start(pullProperty, job, { runId: null }, `search pull of ${job.property}`);
      return await resultOf(client, runId, until);
    },
    holder: () => reach(() => readHolder(client)),
  };
}

/** The result of a pull of one property; null when it takes longer than whoever asked can wait. */
async function resultOf(client: Client, runId: string | null, until: AbortSignal): Promise<PropertyPull | null> {
  const handle = client.workflow.getHandle(SEARCH_PULL_WORKFLOW_ID, runId ?? undefined);
  while (!until.aborted) {
    try {
      const asked = client.withAbortSignal(until, () =>
        client.withDeadline(Date.now() + ASK_MS, () => handle.result()),
      );
      return (await asked) as PropertyPull;
    } catch (error) {
      if (!isOfConnection(error)) throw toDomainError(error);
    }
  }
  return null;
}

/** What holds the lease: the id of a pull, null for a pull of one property; undefined for nothing. */
async function readHolder(client: Client): Promise<string | null | undefined> {
  try {
    const { status, memo } = await client.workflow.getHandle(SEARCH_PULL_WORKFLOW_ID).describe();
    if (status.name !== 'RUNNING') return undefined;
    return typeof memo?.runId === 'string' ? memo.runId : null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

function inProgress(holder: string | null | undefined): FairleadError {
  const isKnown = typeof holder === 'string';
  const message = isKnown ? `The search pull ${holder} is running` : 'A search pull of one property is running';
  return new FairleadError('PULL_IN_PROGRESS', `${message}: wait for its end`, {
    ...(isKnown ? { details: { jobId: holder } } : {}),
  });
}
