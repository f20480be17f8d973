import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { FairleadError } from '../../domain/errors.ts';
import {
  PLATFORM_BACKUP_ID,
  PLATFORM_BACKUP_WORKFLOWS,
  type PlatformBackupCommands,
} from '../../domain/platform-backup/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { withinReach } from './within-reach.ts';

/** The way to the workflow of backups of the platform. Its memo says which backup it makes. */
export function createPlatformBackupCommands(client: Client): PlatformBackupCommands {
  const reach = <T>(call: () => Promise<T>) => withinReach(client, 'What backs the platform up', call);
  return {
    backUp: (job) =>
      reach(async () => {
        try {
          await client.workflow.start(PLATFORM_BACKUP_WORKFLOWS.backUpPlatform, {
            workflowId: PLATFORM_BACKUP_ID,
            workflowIdConflictPolicy: 'FAIL',
            taskQueue: TASK_QUEUE,
            args: [job],
            memo: { id: job.id },
            staticSummary: `${job.kind} backup of the platform`,
          });
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
          const running = await runningBackup(client);
          // The same request, whose first answer was lost.
          if (running?.id === job.id) return;
          throw new FairleadError(
            'BACKUP_IN_PROGRESS',
            running === null
              ? 'A backup of the platform has just ended; try again'
              : `The platform is being backed up already (${running.id})`,
            { details: { id: running?.id ?? null } },
          );
        }
      }),
    cancel: (id) =>
      reach(async () => {
        const running = await runningBackup(client);
        if (running?.id !== id) return false;
        try {
          await client.workflow.getHandle(PLATFORM_BACKUP_ID, running.runId).cancel();
          return true;
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return false;
          throw error;
        }
      }),
  };
}

async function runningBackup(client: Client): Promise<{ readonly id: string; readonly runId: string } | null> {
  try {
    const { status, memo, runId } = await client.workflow.getHandle(PLATFORM_BACKUP_ID).describe();
    return status.name === 'RUNNING' ? { id: String(memo?.id), runId } : null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
