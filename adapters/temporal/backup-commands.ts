import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { type BackedUpDatabase, targetName } from '../../domain/backups/backup.ts';
import { busyDatabase } from '../../domain/backups/busy.ts';
import {
  BACKUPS_WORKFLOWS,
  type BackupCommands,
  backupWorkflowId,
  copyDropWorkflowId,
  type UnderWay,
} from '../../domain/backups/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { withinReach } from './within-reach.ts';

const START_ATTEMPTS = 3;

/** The way to the workflows of backups. What is under way for a database stands in the memo of its workflow. */
export function createBackupCommands(client: Client): BackupCommands {
  const reach = <T>(call: () => Promise<T>) => withinReach(client, 'What makes backups', call);
  /** @returns whether it began; false where another one has the workflow of the database */
  const begin = async (database: BackedUpDatabase, workflowType: string, job: object, underWay: UnderWay) => {
    try {
      await client.workflow.start(workflowType, {
        workflowId: backupWorkflowId(database),
        workflowIdConflictPolicy: 'FAIL',
        taskQueue: TASK_QUEUE,
        args: [job],
        memo: { ...underWay },
        staticSummary: `${underWay.kind} of ${targetName(database)}`,
      });
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  };
  const start = (database: BackedUpDatabase, workflowType: string, job: object, underWay: UnderWay) =>
    reach(async () => {
      for (let attempt = 1; !(await begin(database, workflowType, job, underWay)); attempt += 1) {
        const running = await readRunning(client, database);
        // The same request, whose first answer was lost.
        if (running?.id === underWay.id) return;
        // Else what was in the way has ended since.
        if (running !== null || attempt === START_ATTEMPTS) throw busyDatabase(database, running);
      }
    });
  return {
    backUp: (job) =>
      start(job, BACKUPS_WORKFLOWS.backUpDatabase, job, { kind: 'backup', id: job.id, startedAt: job.startedAt }),
    restore: (job) =>
      start(job, BACKUPS_WORKFLOWS.restoreDatabase, job, { kind: 'restore', id: job.id, startedAt: job.startedAt }),
    cancel: (database, id) =>
      reach(async () => {
        const running = await readRunning(client, database);
        if (running?.id !== id) return false;
        try {
          // Of this run, not of one that began meanwhile.
          await client.workflow.getHandle(backupWorkflowId(database), running.runId).cancel();
          return true;
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return false;
          throw error;
        }
      }),
    dropCopy: (request) =>
      reach(async () => {
        await client.workflow.start(BACKUPS_WORKFLOWS.dropKeptCopy, {
          workflowId: copyDropWorkflowId(request.restoreId),
          workflowIdConflictPolicy: 'USE_EXISTING',
          taskQueue: TASK_QUEUE,
          args: [request],
          staticSummary: `drop what the restore ${request.restoreId} has kept`,
        });
      }),
    isUnderWay: (database, id) => reach(async () => (await readRunning(client, database))?.id === id),
  };
}

/** What runs for a database; null for nothing. */
async function readRunning(
  client: Client,
  database: BackedUpDatabase,
): Promise<(UnderWay & { readonly runId: string }) | null> {
  try {
    const { status, memo, runId } = await client.workflow.getHandle(backupWorkflowId(database)).describe();
    if (status.name !== 'RUNNING') return null;
    const { kind, id, startedAt } = memo ?? {};
    return { kind: kind === 'restore' ? 'restore' : 'backup', id: String(id), startedAt: String(startedAt), runId };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
