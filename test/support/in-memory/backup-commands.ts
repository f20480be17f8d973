import { busyDatabase } from '../../../domain/backups/busy.ts';
import {
  type BackupCommands,
  type BackupJob,
  backupWorkflowId,
  type CopyDropRequest,
  type RestoreJob,
  type UnderWay,
} from '../../../domain/backups/messages.ts';

export interface InMemoryBackupCommands extends BackupCommands {
  readonly jobs: readonly (BackupJob | RestoreJob)[];
  /** What is under way, by workflow id; a test ends it. */
  readonly running: Map<string, UnderWay>;
  /** Drops that were asked for. */
  readonly drops: CopyDropRequest[];
}

/** Workflows of backups that begin and do nothing: one at a time for each database. */
export function createInMemoryBackupCommands(): InMemoryBackupCommands {
  const jobs: (BackupJob | RestoreJob)[] = [];
  const running = new Map<string, UnderWay>();
  const drops: CopyDropRequest[] = [];
  const start = (kind: UnderWay['kind'], job: BackupJob | RestoreJob): void => {
    const workflowId = backupWorkflowId(job);
    const other = running.get(workflowId);
    if (other !== undefined && other.id !== job.id) throw busyDatabase(job, other);
    running.set(workflowId, { kind, id: job.id, startedAt: job.startedAt });
    jobs.push(job);
  };
  return {
    jobs,
    running,
    drops,
    dropCopy: async (request) => void drops.push(request),
    backUp: async (job) => start('backup', job),
    restore: async (job) => start('restore', job),
    cancel: async (database, id) =>
      running.get(backupWorkflowId(database))?.id === id && running.delete(backupWorkflowId(database)),
    isUnderWay: async (database, id) => running.get(backupWorkflowId(database))?.id === id,
  };
}
