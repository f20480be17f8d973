import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { type BackedUpDatabase, targetName } from '../../domain/backups/backup.ts';
import { busyDatabase } from '../../domain/backups/busy.ts';
import {
  BACKUPS_WORKFLOWS,
  type BackupCommands,
  backupWorkflowId,
  type UnderWay,
} from '../../domain/backups/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { withinReach } from './within-reach.ts';

/** The way to the workflows of backups. What is under way for a database stands in the memo of its workflow. */
export function createBackupCommands(client: Client): BackupCommands {
  const reach = <T>(call: () => Promise<T>) => withinReach(client, 'What makes backups', call);
  const start = (database: BackedUpDatabase, workflowType: string, job: object, underWay: UnderWay) =>
    reach(async () => {
      try {
        await client.workflow.start(workflowType, {
          workflowId: backupWorkflowId(database),
          workflowIdConflictPolicy: 'FAIL',
          taskQueue: TASK_QUEUE,
          args: [job],
          memo: { ...underWay },
          staticSummary: `${underWay.kind} of ${targetName(database)}`,
        });
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        const running = await readRunning(client, database);
        // The same request, whose first answer was lost.
        if (running?.id === underWay.id) return;
        throw busyDatabase(database, running);
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
