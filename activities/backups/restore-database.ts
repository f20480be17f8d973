import type { Backup, BackupProblem } from '../../domain/backups/backup.ts';
import { groupKey } from '../../domain/backups/backup.ts';
import type { RestoreEnd, RestoreJob } from '../../domain/backups/messages.ts';
import { runningRestore } from '../../domain/backups/new-record.ts';
import type { RestoreChange, SwapNames } from '../../domain/backups/ports.ts';
import { type RestorePhase, scratchName } from '../../domain/backups/restore.ts';
import { compareFigures } from '../../domain/backups/verification.ts';
import { FairleadError } from '../../domain/errors.ts';
import { auditBackup } from './audit-backup.ts';
import type { BackupsActivityDeps } from './deps.ts';
import { checkArchive, readArchive } from './read-archive.ts';
import { reportProgress, type TellBytes } from './report-progress.ts';
import { requireOwner } from './require-owner.ts';
import { toolOf } from './tool-of.ts';

const DAY_MS = 86_400_000;
/** Where nothing was swapped, and where there was nothing to keep. */
const NOTHING_KEPT = { keptDatabase: null, keptUntil: null, keptBytes: null } as const;

export interface EndedRestore {
  readonly job: RestoreJob;
  /** Null for a restore that completed. */
  readonly problem: BackupProblem | null;
}

/** Writes the record of a restore that begins, and checks once more what it restores. Idempotent: the first record stays. */
export async function openRestore(deps: BackupsActivityDeps, job: RestoreJob): Promise<{ readonly timeoutMs: number }> {
  await deps.restores.insert(runningRestore(job));
  await requireBackup(deps, job);
  const { id, requestedBy: actor, org, requestId, backupId, mode } = job;
  const data = { backupId, mode };
  await auditBackup(deps, { type: 'backup.restore_started', id, actor, database: job, org, requestId, data });
  return { timeoutMs: deps.settings.dumpTimeoutMs };
}

/**
 * The backup that a restore is of. Whoever asked, and whatever the request says: it is of the same service, environment,
 * engine and database, which still belongs to the service, and is completed.
 * @throws NOT_RESTORABLE; DATABASE_NOT_FOUND
 */
async function requireBackup(deps: BackupsActivityDeps, job: RestoreJob): Promise<Backup> {
  const backup = await deps.backups.find(job.backupId);
  if (backup === null || groupKey(backup) !== groupKey(job) || !(await isOfService(deps, backup, job))) {
    throw new FairleadError('NOT_RESTORABLE', `${job.backupId} is no backup of the database ${job.databaseName}`);
  }
  await requireOwner(deps, job);
  if (backup.status === 'completed') return backup;
  throw new FairleadError('NOT_RESTORABLE', `The backup ${backup.id} is ${backup.status}: it has no archive`);
}

/** Also of a removed service whose database the service of the job has got back. */
async function isOfService(
  { inventory }: BackupsActivityDeps,
  { serviceId: madeFor, engine, databaseName }: Backup,
  { serviceId }: RestoreJob,
): Promise<boolean> {
  if (madeFor === null || madeFor === serviceId) return madeFor !== null;
  const owner = await inventory.ownerOf(engine, databaseName);
  return owner?.serviceId === serviceId && owner.earlierServiceIds.includes(madeFor);
}

/**
 * Restores the archive into a new database and compares its counts with those at the dump. Idempotent: a new database of
 * an attempt before is made anew.
 * @throws RESTORE_FAILED when the counts differ
 */
export async function restoreScratch(
  deps: BackupsActivityDeps,
  job: RestoreJob,
  signal: AbortSignal,
  tell?: TellBytes,
): Promise<void> {
  const backup = await requireBackup(deps, job);
  const tool = toolOf(deps, job.engine);
  const scratch = scratchName('restore', job.id);
  await enter(deps, job, 'restoring');
  const progress = reportRead(deps, job, tell);
  const archive = await readArchive(deps, backup, { signal, onProgress: progress.report });
  await tool.restoreInto({ from: backup.databaseName, scratch }, archive, { signal });
  await progress.stop();
  await enter(deps, job, 'verifying');
  await requireCounts(backup, await tool.figures(scratch, signal));
}

function reportRead({ restores }: BackupsActivityDeps, { id }: RestoreJob, tell?: TellBytes) {
  return reportProgress((bytes) => restores.change(id, { bytesRead: bytes }).then(() => undefined), tell);
}

/** Puts the new database in the place of the old one, which is kept. Idempotent: done already, it changes nothing. */
export async function swapDatabases(deps: BackupsActivityDeps, job: RestoreJob, signal: AbortSignal): Promise<void> {
  await requireBackup(deps, job);
  const names = swapNames(job);
  const keptUntil = new Date(deps.now().getTime() + deps.settings.keptDays * DAY_MS);
  // On record before it is there: whatever becomes of the swap, it is dropped one day.
  await changeRunning(deps, job, { phase: 'swapping', keptDatabase: names.kept, keptUntil });
  const tool = toolOf(deps, job.engine);
  await tool.swap(names, { signal });
  // Shown to people, and no more: the swap is done.
  const size = await tool.size(names.kept, signal).catch(() => ({ bytes: null }));
  await deps.restores.change(job.id, size === null ? NOTHING_KEPT : { keptBytes: size.bytes });
}

function swapNames({ id, databaseName }: RestoreJob): SwapNames {
  return { live: databaseName, scratch: scratchName('restore', id), kept: scratchName('kept', id) };
}

/**
 * Restores the archive over the database that it was made of. The archive is read to its end before, so that none that was
 * cut off or changed overwrites anything. Not idempotent for a half-done restore: it begins anew.
 */
export async function restoreInPlace(
  deps: BackupsActivityDeps,
  job: RestoreJob,
  signal: AbortSignal,
  tell?: TellBytes,
): Promise<void> {
  const backup = await requireBackup(deps, job);
  const tool = toolOf(deps, job.engine);
  const etag = await checkArchive(deps, backup, signal);
  await enter(deps, job, 'restoring');
  const progress = reportRead(deps, job, tell);
  // A tool may be done before it has read all: what was changed since would be told too late.
  const archive = await readArchive(deps, backup, { signal, onProgress: progress.report, etag });
  // Written, not read: a record that somebody ends takes nothing more of this call.
  const isMeant = () => deps.restores.change(job.id, { phase: 'restoring' });
  await tool.restoreInPlace(job.databaseName, archive, { signal, isMeant });
  await progress.stop();
}

/** Notes which part of a restore begins. @throws CONFLICT for one that was ended: a worker that was paused stops here */
export async function enter(deps: BackupsActivityDeps, job: RestoreJob, phase: RestorePhase): Promise<void> {
  await changeRunning(deps, job, { phase });
}

async function changeRunning(
  { restores }: BackupsActivityDeps,
  { id }: RestoreJob,
  change: RestoreChange,
): Promise<void> {
  if (await restores.change(id, change)) return;
  throw new FairleadError('CONFLICT', `The restore ${id} has ended already: it changes nothing any more`);
}

async function requireCounts(backup: Backup, restored: Readonly<Record<string, number>>): Promise<void> {
  const difference = compareFigures(backup.figures ?? {}, restored);
  if (difference === null) return;
  throw new FairleadError('RESTORE_FAILED', `${difference.message}. The database is as it was before`);
}

/**
 * Ends what a restore that failed has left on the server, which is asked what became of it: a worker may have died after a
 * swap that was done. Then the restore is completed.
 * @returns whether a swap was done
 */
async function endOnServer(deps: BackupsActivityDeps, job: RestoreJob, signal: AbortSignal): Promise<boolean> {
  const tool = deps.tools[job.engine];
  // Not known without its server: what is on record stays.
  if (tool === undefined) return false;
  if (job.mode === 'in-place') {
    await tool.reopen(job.databaseName, { signal });
    return false;
  }
  const names = swapNames(job);
  const isSwapped = await tool.endSwap(names, { signal });
  const size = await tool.size(names.kept, signal);
  await deps.restores.end(job.id, size === null ? NOTHING_KEPT : { keptBytes: size.bytes });
  return isSwapped;
}

/** Why a restore failed; null for one that is completed. */
async function problemAtEnd(
  deps: BackupsActivityDeps,
  { job, problem: said }: EndedRestore,
  signal: AbortSignal,
): Promise<BackupProblem | null> {
  const record = await deps.restores.find(job.id);
  // Ended by another attempt, while this one was paused: a later restore may be at the database.
  if (record !== null && record.status !== 'running') return record.problem;
  return said === null || (await endOnServer(deps, job, signal)) ? null : said;
}

/**
 * Ends a restore. Of one that failed the database is opened again, and the new one is dropped. Idempotent.
 * @returns how it ended: one that was said to have failed, and whose swap was done, is completed
 */
export async function endRestore(
  deps: BackupsActivityDeps,
  ended: EndedRestore,
  signal: AbortSignal,
): Promise<RestoreEnd> {
  const { restores, now } = deps;
  const { job } = ended;
  await restores.insert(runningRestore(job));
  // Before the server is asked: a worker that was paused, and begins there afterwards, is told that it is not meant any more.
  await restores.end(job.id, {});
  const problem = await problemAtEnd(deps, ended, signal);
  const end =
    problem === null ? ({ status: 'completed', phase: 'done' } as const) : ({ status: 'failed', problem } as const);
  await restores.end(job.id, { ...end, finishedAt: now() });
  const { id, requestedBy: actor, org, requestId, backupId, mode } = job;
  const type = problem === null ? 'backup.restored' : 'backup.restore_failed';
  const data = { backupId, mode, code: problem?.code ?? null };
  await auditBackup(deps, { type, id, actor, database: job, org, requestId, data });
  await forgetSwap(deps, job);
  return { status: end.status, problem };
}

/** Drops what says on the server that a swap was done, which nobody asks after its end; where a database is kept, it goes with that. */
async function forgetSwap({ tools, restores }: BackupsActivityDeps, { id, engine, mode }: RestoreJob): Promise<void> {
  if (mode === 'swap' && (await restores.find(id))?.keptDatabase === null)
    await tools[engine]?.drop(scratchName('kept', id));
}
