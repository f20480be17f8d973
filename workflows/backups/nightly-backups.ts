import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  continueAsNew,
  isCancellation,
  log,
  ParentClosePolicy,
  setCurrentDetails,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { type BackupProblem, targetName } from '../../domain/backups/backup.ts';
import { type BackupJob, backupWorkflowId, type UnderWay } from '../../domain/backups/messages.ts';
import { type Night, nightOf } from '../../domain/backups/night.ts';
import { planNight, reportNight, skipBackup } from './activity-proxies.ts';
import { backUpDatabase } from './back-up-database.ts';
import { describeProblem } from './describe-problem.ts';
import { scheduledTime } from './scheduled-time.ts';

/** What is left of a night that continues as new. */
export interface NightLeft {
  readonly night: Night;
  readonly jobs: readonly BackupJob[];
  readonly parallelism: number;
  readonly tally: NightTally;
}

export interface NightTally {
  readonly completed: number;
  /** An engine whose databases could not be listed counts once. */
  readonly failed: number;
  readonly skipped: number;
}

/** Another backup or a restore of the database is waited for so long. */
const WAIT_FOR_OTHER = { attempts: 12, everyMs: 5 * 60_000 } as const;

const BUSY: BackupProblem = {
  code: 'BACKUP_IN_PROGRESS',
  message: 'Another backup or a restore of the database was running for an hour',
};

/**
 * Backs up all databases of a night, a few at a time; schedule `nightly-backups`. One that fails stops no other. Whatever
 * becomes of it, there is a record of each database for the night, and an alarm for those that have no backup.
 */
export async function nightlyBackups(left?: NightLeft): Promise<NightTally & { readonly night: Night }> {
  const night = left?.night ?? nightOf(scheduledTime());
  const plan = left ?? (await beginNight(night));
  const tally = { ...plan.tally };
  const waiting = [...plan.jobs];
  const total = waiting.length;
  const runOne = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      setCurrentDetails(`**${night}**: ${waiting.length} of ${total} databases wait`);
      tally[await backUp(job)] += 1;
      if (workflowInfo().continueAsNewSuggested) return;
    }
  };
  await Promise.all(Array.from({ length: plan.parallelism }, runOne));
  if (waiting.length > 0) {
    await continueAsNew<typeof nightlyBackups>({ night, jobs: waiting, parallelism: plan.parallelism, tally });
  }
  await reportNight({ night, run: 'backups', problems: [] });
  setCurrentDetails(`**${night}**: ${tally.completed} completed, ${tally.failed} failed, ${tally.skipped} skipped`);
  return { night, ...tally };
}

async function beginNight(night: Night): Promise<NightLeft> {
  const { jobs, parallelism, unlisted, skipped, missed, idle } = await planNight(night);
  if (idle !== null) log.warn(`No database is backed up: ${idle}`);
  if (missed.length > 0) {
    const problems = [`No backup was made on ${missed.join(', ')}: the platform was away`];
    await reportNight({ night: missed.at(-1) ?? night, run: 'backups', problems });
  }
  return { night, jobs, parallelism, tally: { completed: 0, failed: unlisted.length, skipped } };
}

/** @returns what it counts as */
async function backUp(job: BackupJob): Promise<keyof NightTally> {
  try {
    for (let attempt = 1; attempt <= WAIT_FOR_OTHER.attempts; attempt += 1) {
      const end = await runChild({ ...job, startedAt: new Date().toISOString() });
      if (end !== null) return end;
      await sleep(WAIT_FOR_OTHER.everyMs);
    }
    await skipBackup({ job, problem: BUSY });
    return 'skipped';
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn(`The backup of ${targetName(job)} ended without a result: ${describeProblem(error).message}`);
    return 'failed';
  }
}

/** @returns null when something else has the database */
async function runChild(job: BackupJob): Promise<'completed' | 'failed' | null> {
  const underWay: UnderWay = { kind: 'backup', id: job.id, startedAt: job.startedAt };
  try {
    const child = await startChild(backUpDatabase, {
      workflowId: backupWorkflowId(job),
      args: [job],
      memo: { ...underWay },
      // A dump that is nearly done is not thrown away with the night.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `${job.tier} backup of ${targetName(job)}`,
    });
    return (await child.result()).status;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    throw error;
  }
}
