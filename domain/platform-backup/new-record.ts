import type { PlatformBackup } from './backup.ts';
import type { PlatformBackupJob } from './messages.ts';

/** The record of a backup that begins. */
export function runningRecord({ requestId: _, startedAt, ...job }: PlatformBackupJob): PlatformBackup {
  const begun = { status: 'running', finishedAt: null, sizeBytes: null, problem: null } as const;
  return { ...job, ...begun, startedAt: new Date(startedAt) };
}
