import { ActivityCancellationType, proxyActivities, type RetryPolicy } from '@temporalio/workflow';
import type { BackupsActivities } from '../../activities/backups/index.ts';
import { ASKED_BACKUPS, type BackupJob } from '../../domain/backups/messages.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';
import { leftOfNight } from './night-limit.ts';

const taskQueue = moduleTaskQueue('backups');
const askedQueue = moduleTaskQueue(ASKED_BACKUPS);
const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' } as const;

/** Records: retried for as long as the database may be away. */
export const { openBackup, failBackup, skipBackup, openRestore, beginSafetyBackup } = proxyActivities<
  Pick<BackupsActivities, 'openBackup' | 'failBackup' | 'skipBackup' | 'openRestore' | 'beginSafetyBackup'>
>({ taskQueue, startToCloseTimeout: '2m', scheduleToCloseTimeout: '1d', retry });

/** The server may be away. */
export const { dropKeptCopy } = proxyActivities<Pick<BackupsActivities, 'dropKeptCopy'>>({
  taskQueue,
  startToCloseTimeout: '15m',
  scheduleToCloseTimeout: '1d',
  heartbeatTimeout: '30s',
  retry,
});

/** The end of a restore that failed puts back what it had replaced, which may be a whole database; so does that of an abandoned one. */
export const { endRestore, closeRestore } = proxyActivities<Pick<BackupsActivities, 'endRestore' | 'closeRestore'>>({
  taskQueue: askedQueue,
  startToCloseTimeout: '12h',
  scheduleToCloseTimeout: '2d',
  heartbeatTimeout: '30s',
  retry,
});

type Listings = 'planNight' | 'listBackupsToVerify' | 'reportStale' | 'pruneBackups' | 'dropKeptCopies';

const LISTING_MS = 3 * 3_600_000;

/** Lists of the whole installation. @param withinMs the server and the database may be away for so long */
function listings(withinMs: number): Pick<BackupsActivities, Listings> {
  return proxyActivities<Pick<BackupsActivities, Listings>>({
    taskQueue,
    startToCloseTimeout: '15m',
    scheduleToCloseTimeout: withinMs,
    heartbeatTimeout: '30s',
    retry,
  });
}

export const { planNight, listBackupsToVerify, reportStale, pruneBackups, dropKeptCopies } = listings(LISTING_MS);

/** The next page of a night that began then. */
export function nextPages(begunAt: string): Pick<BackupsActivities, 'planNight' | 'listBackupsToVerify'> {
  return listings(leftOfNight(begunAt, LISTING_MS));
}

/** At the end of a run, whose time ends soon where the night has waited until its limit. */
export const { reportNight } = proxyActivities<Pick<BackupsActivities, 'reportNight'>>({
  taskQueue,
  startToCloseTimeout: '15m',
  scheduleToCloseTimeout: '90m',
  heartbeatTimeout: '30s',
  retry,
});

/** What earlier runs have left open; the night goes on without it. */
export const { closeAbandoned } = proxyActivities<Pick<BackupsActivities, 'closeAbandoned'>>({
  taskQueue,
  startToCloseTimeout: '15m',
  scheduleToCloseTimeout: '45m',
  heartbeatTimeout: '30s',
  retry,
});

/** A mirror may have to copy everything, once; its report comes within the time of the run. */
export const { mirrorArchives } = proxyActivities<Pick<BackupsActivities, 'mirrorArchives'>>({
  taskQueue,
  startToCloseTimeout: '17h',
  scheduleToCloseTimeout: '18h',
  heartbeatTimeout: '30s',
  retry: { ...retry, maximumInterval: '15m' },
});

type Dumps = Pick<BackupsActivities, 'dumpDatabase'>;
type Proofs = Pick<BackupsActivities, 'verifyBackup'>;
type Restores = Pick<BackupsActivities, 'restoreScratch' | 'restoreInPlace' | 'swapDatabases'>;

/**
 * Dumps and restores, all attempts within the time of BACKUP_DUMP_TIMEOUT_MS: an attempt whose worker died is made up for
 * by another worker; what the database or the tool refused is not tried again. One that is cancelled is waited for: no clean-up
 * runs beside a tool that is still at work.
 */
function transfers(
  queue: string,
  timeoutMs: number,
  again: RetryPolicy = { ...retry, maximumAttempts: 3 },
): Dumps & Proofs & Restores {
  return proxyActivities<Dumps & Proofs & Restores>({
    taskQueue: queue,
    startToCloseTimeout: timeoutMs,
    scheduleToCloseTimeout: timeoutMs,
    heartbeatTimeout: '10s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: again,
  });
}

/** A night has places of its own, whatever people ask for meanwhile. */
export function dumps({ kind }: Pick<BackupJob, 'kind'>, timeoutMs: number): Dumps {
  return transfers(kind === 'nightly' ? taskQueue : askedQueue, timeoutMs);
}

export function proofs(timeoutMs: number): Proofs {
  return transfers(taskQueue, timeoutMs);
}

/** Of a backup that is waited for: while the server is away it is tried again, and the dump is not made anew. */
export function askedProofs(timeoutMs: number): Proofs {
  return transfers(askedQueue, timeoutMs, { initialInterval: '30s', backoffCoefficient: 2, maximumInterval: '10m' });
}

export function restores(timeoutMs: number): Restores {
  return transfers(askedQueue, timeoutMs);
}
