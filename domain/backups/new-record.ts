import type { Backup, BackupProblem } from './backup.ts';
import type { BackupJob, RestoreJob } from './messages.ts';
import type { Restore } from './restore.ts';

/** The record of a backup that begins. */
export function runningBackup({ org, requestId, startedAt, ...job }: BackupJob): Backup {
  return {
    ...job,
    status: 'running',
    startedAt: new Date(startedAt),
    finishedAt: null,
    sizeBytes: null,
    sha256: null,
    objectKey: null,
    uploads: [],
    figures: null,
    problem: null,
    verification: null,
    triedAt: null,
  };
}

/** The record of a backup that was not made, and why. */
export function unmadeBackup(job: BackupJob, status: 'failed' | 'skipped' | 'missed', problem: BackupProblem): Backup {
  const running = runningBackup(job);
  return { ...running, status, problem, finishedAt: running.startedAt };
}

/** The record of a restore that begins. */
export function runningRestore({ org, requestId, startedAt, ...job }: RestoreJob): Restore {
  return {
    ...job,
    status: 'running',
    phase: 'checking',
    startedAt: new Date(startedAt),
    finishedAt: null,
    bytesRead: 0,
    keptDatabase: null,
    keptUntil: null,
    keptBytes: null,
    problem: null,
  };
}
