import { CancellationScope, isCancellation, log, patched, setCurrentDetails } from '@temporalio/workflow';
import { targetName } from '../../domain/backups/backup.ts';
import type { BackupEnd, BackupJob } from '../../domain/backups/messages.ts';
import { describeProblem } from '../describe-problem.ts';
import { askedProofs, dumps, failBackup, openBackup, pruneBackups } from './activity-proxies.ts';

/**
 * One backup of one database; id `backup/<service>/<environment>/<engine>`, so that there is one at a time. It is completed
 * once the bucket has the whole archive, and failed otherwise, also when it is cancelled. Then retention is applied. A final
 * one is proven by a restore at once: its database is dropped by it.
 * @throws the cancellation, once it is on record
 */
export async function backUpDatabase(job: BackupJob): Promise<BackupEnd> {
  setCurrentDetails(`${job.tier} backup of **${targetName(job)}** (${job.engine})`);
  const end = await makeBackup(job);
  if (end.status === 'completed' && job.kind === 'nightly') await prune(job);
  if (end.status === 'completed' && job.kind === 'final' && patched('prove-final-backups')) await prove(job);
  return end;
}

/** Makes a backup from its record to its end, within any workflow. @throws as {@link backUpDatabase} */
export async function makeBackup(job: BackupJob): Promise<BackupEnd> {
  try {
    const { dumpTimeoutMs } = await openBackup(job);
    await dumps(job, dumpTimeoutMs).dumpDatabase(job);
    return { status: 'completed', problem: null };
  } catch (error) {
    const problem = describeProblem(error);
    await CancellationScope.nonCancellable(() => failBackup({ job, problem }));
    if (isCancellation(error)) throw error;
    return { status: 'failed', problem };
  }
}

/** An archive too many is deleted the next night. */
async function prune(job: BackupJob): Promise<void> {
  try {
    await pruneBackups(job);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn(`Retention was not applied to ${targetName(job)}: ${describeProblem(error).message}`);
  }
}

/** What it finds stands in the record, which says nothing where it could not find out. */
async function prove(job: BackupJob): Promise<void> {
  try {
    const { dumpTimeoutMs } = await openBackup(job);
    await askedProofs(dumpTimeoutMs).verifyBackup(job.id);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn(`The backup ${job.id} of ${targetName(job)} could not be proven: ${describeProblem(error).message}`);
  }
}
