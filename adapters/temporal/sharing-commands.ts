import { randomUUID } from 'node:crypto';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import {
  CHANGE_SHARING,
  memberWorkflowId,
  SHARING_WORKFLOWS,
  type SharingRecorded,
  sharingWorkflowId,
  WITHDRAW_REPOSITORIES,
} from '../../domain/authorized-orgs/messages.ts';
import type { SharingCommands } from '../../domain/authorized-orgs/ports.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { answered } from './answered.ts';
import { updateWithStart } from './update-with-start.ts';

/** The way to the workflows of authorized orgs; one that ended is started anew. */
export function createSharingCommands(client: Client): SharingCommands {
  const update = <Result, Arg>(serviceId: string, name: string, arg: Arg): Promise<Result> =>
    answered(client, () =>
      updateWithStart<Result, Arg>(client, { start: startOf(serviceId), update: name, updateId: randomUUID(), arg }),
    );
  return {
    change: (change) => update<SharingRecorded, object>(change.service.id, CHANGE_SHARING, change),
    withdraw: (serviceId) => update<void, string>(serviceId, WITHDRAW_REPOSITORIES, serviceId),
    reconcileMember: (member) =>
      answered(client, async () => {
        try {
          await client.workflow.start(SHARING_WORKFLOWS.reconcileMember, {
            workflowId: memberWorkflowId(member),
            taskQueue: TASK_QUEUE,
            args: [member],
            staticSummary: `git host of ${member.org}`,
          });
        } catch (error) {
          // One that runs looks at the same.
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
      }),
  };
}

function startOf(serviceId: string): Parameters<typeof updateWithStart>[1]['start'] {
  return [
    SHARING_WORKFLOWS.changeSharing,
    {
      workflowId: sharingWorkflowId(serviceId),
      workflowIdConflictPolicy: 'USE_EXISTING',
      taskQueue: TASK_QUEUE,
      args: [serviceId],
      staticSummary: `orgs that share ${serviceId}`,
    },
  ];
}
