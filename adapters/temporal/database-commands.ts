import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import {
  DATABASE_WORKFLOWS,
  DROP_SIGNALS,
  dropWorkflowId,
  type RotationRequest,
  rotationWorkflowId,
} from '../../domain/databases/messages.ts';
import type { DatabaseCommands } from '../../domain/databases/ports.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { answered } from './answered.ts';

/** The way to the workflows of databases. */
export function createDatabaseCommands(client: Client): DatabaseCommands {
  return {
    dropLater: ({ id, dropAfter }) =>
      answered(client, async () => {
        await client.workflow.start(DATABASE_WORKFLOWS.dropDatabase, {
          workflowId: dropWorkflowId(id),
          // One that waits looks at the record when its time comes, and waits on.
          workflowIdConflictPolicy: 'USE_EXISTING',
          taskQueue: TASK_QUEUE,
          args: [{ id, dropAfter: dropAfter.toISOString() }],
          staticSummary: `drop the database ${id}`,
        });
      }),
    dropSooner: ({ id, dropAfter }) =>
      answered(client, async () => {
        const time = dropAfter.toISOString();
        await client.workflow.signalWithStart(DATABASE_WORKFLOWS.dropDatabase, {
          workflowId: dropWorkflowId(id),
          taskQueue: TASK_QUEUE,
          args: [{ id, dropAfter: time }],
          signal: DROP_SIGNALS.timeChanged,
          signalArgs: [time],
          staticSummary: `drop the database ${id}`,
        });
      }),
    rotate: (database, by) =>
      answered(client, async () => {
        const request: RotationRequest = { ...by, id: database.id, isAsked: true };
        await client.workflow.start(DATABASE_WORKFLOWS.rotateLogin, {
          workflowId: rotationWorkflowId(database),
          workflowIdConflictPolicy: 'USE_EXISTING',
          taskQueue: TASK_QUEUE,
          args: [request],
          staticSummary: `new login of the database ${database.id}`,
        });
      }),
    isRotating: (database) =>
      answered(client, async () => {
        try {
          const { status } = await client.workflow.getHandle(rotationWorkflowId(database)).describe();
          return status.name === 'RUNNING';
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return false;
          throw error;
        }
      }),
  };
}
