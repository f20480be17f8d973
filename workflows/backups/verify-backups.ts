import { isCancellation, setCurrentDetails } from '@temporalio/workflow';
import { nightOf } from '../../domain/backups/night.ts';
import { listBackupsToVerify, reportNight, transfers } from './activity-proxies.ts';
import { describeProblem } from './describe-problem.ts';
import { scheduledTime } from './scheduled-time.ts';

export interface VerificationTally {
  readonly verified: number;
  readonly failed: number;
}

/**
 * Restores a sample of the backups for proof, one after the other, so that every database has its turn within a week;
 * schedule `verify-backups`. What cannot be restored raises an alarm.
 */
export async function verifyBackups(): Promise<VerificationTally> {
  const night = nightOf(scheduledTime());
  const { backupIds, timeoutMs } = await listBackupsToVerify(night);
  const problems: string[] = [];
  for (const [index, id] of backupIds.entries()) {
    setCurrentDetails(`**${night}**: ${index} of ${backupIds.length} backups verified`);
    const message = await verify(id, timeoutMs);
    if (message !== null) problems.push(`${id}: ${message}`);
  }
  await reportNight({ night, run: 'verification', problems });
  return { verified: backupIds.length - problems.length, failed: problems.length };
}

async function verify(id: string, timeoutMs: number): Promise<string | null> {
  try {
    return (await transfers(timeoutMs).verifyBackup(id))?.message ?? null;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return `It could not be verified: ${describeProblem(error).message}`;
  }
}
