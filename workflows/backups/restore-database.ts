import { ApplicationFailure, CancellationScope, isCancellation, setCurrentDetails } from '@temporalio/workflow';
import { targetName } from '../../domain/backups/backup.ts';
import type { BackupJob, RestoreEnd, RestoreJob } from '../../domain/backups/messages.ts';
import { describeProblem } from '../describe-problem.ts';
import { beginSafetyBackup, endRestore, openRestore, restores } from './activity-proxies.ts';
import { makeBackup } from './back-up-database.ts';

/**
 * One restore; it has the id of the backups of its database, so that nothing else reads or writes that meanwhile. With
 * `swap` the database stays as it is until the new one has the counts of the dump; `in-place` writes over it, and only after
 * a backup of what it has.
 * @throws the cancellation, once it is on record
 */
export async function restoreDatabase(job: RestoreJob): Promise<RestoreEnd> {
  setCurrentDetails(`restore of **${targetName(job)}** (${job.engine}) from ${job.backupId}, ${job.mode}`);
  try {
    const { timeoutMs } = await openRestore(job);
    await (job.mode === 'swap' ? swap(job, timeoutMs) : overwrite(job, timeoutMs));
  } catch (error) {
    const problem = describeProblem(error);
    const end = await CancellationScope.nonCancellable(() => endRestore({ job, problem }));
    if (isCancellation(error)) throw error;
    return end;
  }
  await CancellationScope.nonCancellable(() => endRestore({ job, problem: null }));
  return { status: 'completed', problem: null };
}

async function swap(job: RestoreJob, timeoutMs: number): Promise<void> {
  await restores(timeoutMs).restoreScratch(job);
  // A swap that began is brought to its end: half of one would leave no database in its place.
  await CancellationScope.nonCancellable(() => restores(timeoutMs).swapDatabases(job));
}

async function overwrite(job: RestoreJob, timeoutMs: number): Promise<void> {
  await beginSafetyBackup(job);
  const { problem } = await makeBackup(safetyBackup(job));
  if (problem !== null) {
    const message = `The database was not touched, because it could not be backed up before: ${problem.message}`;
    throw ApplicationFailure.nonRetryable(message, 'RESTORE_FAILED');
  }
  await restores(timeoutMs).restoreInPlace(job);
}

function safetyBackup(job: RestoreJob): BackupJob {
  const { safetyBackupId, serviceId, org, service, environment, engine, databaseName, requestedBy, requestId } = job;
  if (safetyBackupId === null) throw ApplicationFailure.nonRetryable('A restore in place names its safety backup');
  return {
    ...{ serviceId, org, service, environment, engine, databaseName, requestedBy, requestId },
    id: safetyBackupId,
    kind: 'safety',
    tier: 'manual',
    night: null,
    startedAt: new Date().toISOString(),
  };
}
