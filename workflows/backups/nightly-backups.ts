import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  continueAsNew,
  isCancellation,
  log,
  ParentClosePolicy,
  patched,
  setCurrentDetails,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { AbandonedRestore } from '../../activities/backups/close-abandoned.ts';
import type { NightPlan, PlaceInNight } from '../../activities/backups/plan-night.ts';
import { type BackupProblem, groupKey, targetName } from '../../domain/backups/backup.ts';
import { type BackupJob, backupWorkflowId, type UnderWay } from '../../domain/backups/messages.ts';
import { type Night, nightOf } from '../../domain/backups/night.ts';
import { describeProblem } from '../describe-problem.ts';
import { scheduledTime } from '../scheduled-time.ts';
import { closeAbandoned, nextPages, planNight, reportNight, skipBackup } from './activity-proxies.ts';
import { backUpDatabase } from './back-up-database.ts';
import { endAbandonedRestore } from './end-abandoned-restore.ts';
import { isNightOver, NIGHT_HOURS, nightBegin, startWaitLimit } from './night-limit.ts';
import { tellOfNight } from './tell-of-night.ts';

/** What is left of a night that continues as new. */
export interface NightLeft {
  readonly night: Night;
  /** Of the first run; absent in a night that began before there was an end of it. */
  readonly begunAt?: string;
  readonly jobs: readonly BackupJob[];
  /** Where the databases begin that are not planned yet; none for null, and absent in a night that began before there were pages. */
  readonly more?: PlaceInNight | null;
  readonly parallelism: number;
  readonly tally: NightTally;
  /** Absent in a night that began before there were any. */
  readonly leftovers?: Leftovers;
}

/** What was wrong when the night began; its report tells of it. */
interface Leftovers {
  /** Restores that were broken off, and that others are ending now. */
  readonly restores: readonly AbandonedRestore[];
  /** Why some may be open still, nights that made no backup, and why nothing is planned; one line each. */
  readonly problems: readonly string[];
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

const OVER: BackupProblem = {
  code: 'NIGHT_OVER',
  message: `The night was over before its turn: it begins no backup after ${NIGHT_HOURS} hours`,
};

/**
 * Backs up all databases of a night, a few at a time; schedule `nightly-backups`. However many there are, a run carries one page
 * of them. One that fails stops no other. Whatever becomes of it, there is a record of each database for the night, and an
 * alarm for those that have no backup: also for those whose turn comes after the end of the night.
 */
export async function nightlyBackups(left?: NightLeft): Promise<NightTally & { readonly night: Night }> {
  const night = left?.night ?? nightOf(scheduledTime());
  const plan = left ?? (await beginNight(night));
  const { leftovers, begunAt = nightBegin() } = plan;
  const tally = { ...plan.tally };
  const waiting = [...plan.jobs];
  const total = waiting.length;
  const limit = startWaitLimit(begunAt);
  const runOne = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      setCurrentDetails(`**${night}**: ${waiting.length} of ${total} databases wait`);
      tally[await backUp(job, { begunAt, limit: limit.reached, busy: busyWith(job, leftovers) })] += 1;
      if (workflowInfo().continueAsNewSuggested) return;
    }
  };
  await Promise.all(Array.from({ length: plan.parallelism }, runOne));
  limit.cancel();
  if (waiting.length > 0) {
    await continueAsNew<typeof nightlyBackups>({ ...plan, begunAt, jobs: waiting, tally });
  }
  const { restores = [], problems = [] } = leftovers ?? {};
  const unplanned = plan.more == null ? [] : await goOnAfter(plan.more, { ...plan, begunAt, tally });
  const report = { night, run: 'backups', problems: [...problems, ...unplanned] } as const;
  await tellOfNight(restores.length === 0 ? report : { ...report, restoreIds: restores.map(({ id }) => id) });
  setCurrentDetails(`**${night}**: ${tally.completed} completed, ${tally.failed} failed, ${tally.skipped} skipped`);
  return { night, ...tally };
}

/** Goes on as new with the next page. @returns where it could not be planned, why: the night ends, and says so */
async function goOnAfter(
  place: PlaceInNight,
  left: NightLeft & { readonly begunAt: string },
): Promise<readonly string[]> {
  let page: NightPlan;
  try {
    page = await nextPages(left.begunAt).planNight(left.night, place);
  } catch (error) {
    if (isCancellation(error)) throw error;
    const { engine, databaseName } = place;
    return [`The databases after ${databaseName} (${engine}) were not looked for: ${describeProblem(error).message}`];
  }
  const { completed, failed, skipped } = left.tally;
  const tally = { completed, failed: failed + page.unlisted.length, skipped: skipped + page.skipped };
  const next = { ...left, jobs: page.jobs, more: page.more, tally };
  if ((page.problems ?? []).length === 0) return await continueAsNew<typeof nightlyBackups>(next);
  const { restores = [], problems = [] } = left.leftovers ?? {};
  const leftovers = { restores, problems: [...problems, ...(page.problems ?? [])] };
  return await continueAsNew<typeof nightlyBackups>({ ...next, leftovers });
}

async function beginNight(night: Night): Promise<NightLeft> {
  const leftovers = patched('end-abandoned-restores') ? await endAbandoned() : null;
  const plan = await planOrSay(night);
  if (typeof plan === 'string') {
    const { restores = [], problems = [] } = leftovers ?? {};
    const none = { jobs: [], more: null, parallelism: 0, tally: { completed: 0, failed: 1, skipped: 0 } };
    return { night, begunAt: nightBegin(), ...none, leftovers: { restores, problems: [plan, ...problems] } };
  }
  const { jobs, more, parallelism, unlisted, problems: unseen = [], skipped, missed, idle } = plan;
  if (idle !== null) log.warn(`No database is backed up: ${idle}`);
  const tally = { completed: 0, failed: unlisted.length, skipped };
  const begun = { night, begunAt: nightBegin(), jobs, more, parallelism, tally };
  if (missed.length + unseen.length === 0) return { ...begun, ...(leftovers && { leftovers }) };
  const away = missed.length === 0 ? [] : [`No backup was made on ${missed.join(', ')}: the platform was away`];
  // No alarm keeps the night waiting: a mail server that is away would keep it from all backups.
  if (away.length > 0 && !patched('missed-in-report')) {
    await reportNight({ night: missed.at(-1) ?? night, run: 'backups', problems: away });
    return { ...begun, ...(leftovers && { leftovers }) };
  }
  const { restores = [], problems: others = [] } = leftovers ?? {};
  return { ...begun, leftovers: { restores, problems: [...away, ...unseen, ...others] } };
}

/** @returns where nothing could be planned, why: the night ends, and says so */
async function planOrSay(night: Night): Promise<NightPlan | string> {
  try {
    return await planNight(night);
  } catch (error) {
    // Nights of before failed by it, and do so while they are replayed.
    if (isCancellation(error) || !patched('unplanned-nights')) throw error;
    return `No backup was made, as the databases could not be looked for: ${describeProblem(error).message}`;
  }
}

/** Ends what earlier runs have left open. A restore may take hours to end, and goes on beside the night; nothing of it stops that. */
async function endAbandoned(): Promise<Leftovers> {
  const restores: AbandonedRestore[] = [];
  const problems: string[] = [];
  try {
    for (const restore of await closeAbandoned()) {
      restores.push(restore);
      await startEnd(restore);
    }
  } catch (error) {
    if (isCancellation(error)) throw error;
    const { message } = describeProblem(error);
    problems.push(`Backups and restores that were broken off may be open still: ${message}`);
  }
  return { restores, problems };
}

async function startEnd(restore: AbandonedRestore): Promise<void> {
  const underWay: UnderWay = { kind: 'restore', id: restore.id, startedAt: restore.startedAt };
  try {
    await startChild(endAbandonedRestore, {
      workflowId: backupWorkflowId(restore),
      args: [restore],
      memo: { ...underWay },
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `end of an abandoned restore of ${targetName(restore)}`,
    });
  } catch (error) {
    // The night before has begun to end it, or a backup came first: then the next night ends it.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

function busyWith(job: BackupJob, leftovers: Leftovers | undefined): BackupProblem {
  const restore = leftovers?.restores.find((one) => groupKey(one) === groupKey(job));
  if (restore === undefined) return BUSY;
  const message = `The restore ${restore.id} was broken off, and was still being ended after an hour: see ${backupWorkflowId(job)} in Temporal`;
  return { code: 'RESTORE_IN_PROGRESS', message };
}

interface BackupInNight {
  readonly begunAt: string;
  /** When the night waits for nothing any more. */
  readonly limit: Promise<void>;
  /** Why the database could not be backed up all the time that the night waited for it. */
  readonly busy: BackupProblem;
}

/** @returns what it counts as */
async function backUp(job: BackupJob, { begunAt, limit, busy }: BackupInNight): Promise<keyof NightTally> {
  try {
    for (let attempt = 1; attempt <= WAIT_FOR_OTHER.attempts; attempt += 1) {
      if (isNightOver(begunAt)) return await skip(job, OVER);
      const end = await runChild({ ...job, startedAt: new Date().toISOString() }, limit);
      if (end !== null) return end;
      await sleep(WAIT_FOR_OTHER.everyMs);
    }
    return await skip(job, busy);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn(`The backup of ${targetName(job)} ended without a result: ${describeProblem(error).message}`);
    return 'failed';
  }
}

async function skip(job: BackupJob, problem: BackupProblem): Promise<'skipped'> {
  await skipBackup({ job, problem });
  return 'skipped';
}

/** @returns null when something else has the database; `failed` also for a backup that goes on when the night does not wait any more */
async function runChild(job: BackupJob, limit: Promise<void>): Promise<'completed' | 'failed' | null> {
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
    const end = await Promise.race([child.result(), limit]);
    // Its record says what becomes of it; the report of the night names it.
    return end?.status ?? 'failed';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    throw error;
  }
}
