import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, isCancellation, log, ParentClosePolicy, sleep } from '@temporalio/workflow';
import { nightOf } from '../../domain/backups/night.ts';
import {
  PLATFORM_BACKUP_ID,
  type PlatformBackupEnd,
  type PlatformBackupJob,
} from '../../domain/platform-backup/messages.ts';
import { describeProblem } from '../describe-problem.ts';
import { scheduledTime } from '../scheduled-time.ts';
import { planPlatformNight, reportPlatformNight } from './activity-proxies.ts';
import { backUpPlatform } from './back-up-platform.ts';

/** A backup that somebody asked for may run meanwhile. */
const WAIT_FOR_OTHER = { attempts: 24, everyMs: 5 * 60_000 } as const;

/** Backs the platform up in a night; schedule `nightly-platform-backup`. What failed, and nights that were missed, raise an alarm. */
export async function nightlyPlatformBackup(): Promise<PlatformBackupEnd | null> {
  const night = nightOf(scheduledTime());
  const problems: string[] = [];
  let end: PlatformBackupEnd | null = null;
  try {
    const plan = await planPlatformNight(night);
    problems.push(...plan.problems);
    if (plan.job !== null) end = await backUp(plan.job);
  } catch (error) {
    if (isCancellation(error)) throw error;
    end = { status: 'failed', problem: describeProblem(error) };
  }
  if (end?.problem) problems.push(`The backup of the platform failed: ${end.problem.message}`);
  await tell({ night, problems });
  return end;
}

async function backUp(job: PlatformBackupJob): Promise<PlatformBackupEnd> {
  for (let attempt = 1; attempt <= WAIT_FOR_OTHER.attempts; attempt += 1) {
    try {
      return await executeChild(backUpPlatform, {
        workflowId: PLATFORM_BACKUP_ID,
        args: [{ ...job, startedAt: new Date().toISOString() }],
        memo: { id: job.id },
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        staticSummary: `${job.tier} backup of the platform`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await sleep(WAIT_FOR_OTHER.everyMs);
    }
  }
  const message = 'Another backup of the platform ran for two hours: see platform-backup in Temporal';
  return { status: 'failed', problem: { code: 'BACKUP_IN_PROGRESS', message } };
}

/** Where operators cannot be told, the log of the worker says so, and the run ends as it would. */
async function tell(report: Parameters<typeof reportPlatformNight>[0]): Promise<void> {
  try {
    await reportPlatformNight(report);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.error(`Operators were not told of the night of ${report.night}: ${describeProblem(error).message}`);
  }
}
