import { CancellationScope, isCancellation, log, setCurrentDetails } from '@temporalio/workflow';
import type { ManifestPart } from '../../domain/platform-backup/manifest.ts';
import type { PlatformBackupEnd, PlatformBackupJob } from '../../domain/platform-backup/messages.ts';
import { describeProblem } from '../describe-problem.ts';
import {
  completePlatformBackup,
  failPlatformBackup,
  openPlatformBackup,
  prunePlatformBackups,
  transfers,
} from './activity-proxies.ts';

/**
 * One backup of the platform; id `platform-backup`, so that there is one at a time. Its parts are read one after the other, in the order that
 * makes them fit each other. It is completed once the place has its manifest, and failed otherwise, also when it is cancelled.
 * @throws the cancellation, once it is on record
 */
export async function backUpPlatform(job: PlatformBackupJob): Promise<PlatformBackupEnd> {
  setCurrentDetails(`${job.tier} backup of the platform, ${job.id}`);
  try {
    const { parts, timeoutMs } = await openPlatformBackup(job);
    const stored: ManifestPart[] = [];
    for (const part of parts) stored.push(await transfers(timeoutMs).storePlatformPart({ job, part }));
    await completePlatformBackup({ job, parts: stored });
  } catch (error) {
    const problem = describeProblem(error);
    await CancellationScope.nonCancellable(() => failPlatformBackup({ job, problem }));
    if (isCancellation(error)) throw error;
    return { status: 'failed', problem };
  }
  await prune();
  return { status: 'completed', problem: null };
}

/** A backup too many is deleted the next night. */
async function prune(): Promise<void> {
  try {
    await prunePlatformBackups();
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn(`Retention was not applied to the backups of the platform: ${describeProblem(error).message}`);
  }
}
