import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { FairleadError } from '../../domain/errors.ts';
import type { SyncSummary } from '../../domain/properties/domain-map.ts';
import {
  type CheckAnswer,
  type OwnerAnswer,
  PROPERTY_WORKFLOWS,
  type PropertyCommands,
  type Question,
  type RecordAnswer,
  SYNC_WORKFLOW_ID,
  VERIFY_SIGNALS,
  verifyManyWorkflowId,
  verifyWorkflowId,
} from '../../domain/properties/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { answered } from './answered.ts';
import { withinReach } from './within-reach.ts';

const WHAT = 'What verifies domains';

/** The way to the workflows of Properties. That there is one of an id is Temporal's to say: it is the lock. */
export function createPropertyCommands(client: Client): PropertyCommands {
  const reach = <T>(call: () => Promise<T>) => withinReach(client, WHAT, call);
  const start = (workflowType: string, workflowId: string, arg: object, staticSummary: string) =>
    client.workflow.start(workflowType, {
      ...{ workflowId, taskQueue: TASK_QUEUE, args: [arg], staticSummary },
      workflowIdConflictPolicy: 'FAIL',
    });
  const ask = <T>(question: Question): Promise<T> =>
    answered(
      client,
      async () => {
        const handle = await client.workflow.start(PROPERTY_WORKFLOWS.askSearchEngine, {
          workflowId: `ask-search-engine/${question.kind}/${question.domain}`,
          taskQueue: TASK_QUEUE,
          args: [question],
          // The same question of many at once is asked once; owners are added one after the other.
          workflowIdConflictPolicy: question.kind === 'owner' ? 'FAIL' : 'USE_EXISTING',
          workflowRunTimeout: '10m',
        });
        return (await handle.result()) as T;
      },
      'GOOGLE_APPLICATION_CREDENTIALS',
    );
  return {
    sync: () =>
      answered(
        client,
        async () => {
          const sync = { workflowId: SYNC_WORKFLOW_ID, taskQueue: TASK_QUEUE, workflowRunTimeout: '55m' } as const;
          try {
            return (await client.workflow.execute(PROPERTY_WORKFLOWS.syncDomainMap, {
              ...sync,
              workflowIdConflictPolicy: 'FAIL',
            })) as SyncSummary;
          } catch (error) {
            if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
            throw new FairleadError(
              'SYNC_IN_PROGRESS',
              'A sync of the domain map runs already; ask again once it has ended, within the hour',
            );
          }
        },
        'DOMAIN_MAP',
      ),
    verify: (request) =>
      reach(async () => {
        const { domain } = request;
        try {
          await start(
            PROPERTY_WORKFLOWS.verifyProperty,
            verifyWorkflowId(domain),
            request,
            `verification of ${domain}`,
          );
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
          throw new FairleadError(
            'VERIFY_IN_PROGRESS',
            `A run verifies ${domain} already, for up to an hour; GET /api/properties/${domain} shows how far it is`,
          );
        }
      }),
    verifyMany: (request) =>
      reach(async () => {
        const summary = `verification of ${request.domains.length} domains`;
        await start(PROPERTY_WORKFLOWS.verifyMany, verifyManyWorkflowId(request.jobId), request, summary);
      }),
    tellIgnored: (domain) =>
      reach(() => absent(() => client.workflow.getHandle(verifyWorkflowId(domain)).signal(VERIFY_SIGNALS.ignored))),
    isUnderWay: (workflowId) =>
      reach(async () => {
        const found = await absent(() => client.workflow.getHandle(workflowId).describe());
        return found?.status.name === 'RUNNING';
      }),
    check: (domain) => ask<CheckAnswer>({ kind: 'check', domain }),
    readRecord: (domain) => ask<RecordAnswer>({ kind: 'record', domain }),
    async addOwner(domain, email) {
      try {
        return await ask<OwnerAnswer>({ kind: 'owner', domain, email });
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        const message = `Another owner of ${domain} is being added; try again`;
        throw new FairleadError('CONFLICT', message, { retryable: true });
      }
    },
  };
}

/** Undefined for a workflow that is not there, or has ended. */
async function absent<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
