import type { Backup, BackupProblem } from '../../domain/backups/backup.ts';
import { groupKey } from '../../domain/backups/backup.ts';
import type { RestoreJob } from '../../domain/backups/messages.ts';
import { runningRestore } from '../../domain/backups/new-record.ts';
import { type RestorePhase, scratchName } from '../../domain/backups/restore.ts';
import { compareFigures } from '../../domain/backups/verification.ts';
import { FairleadError } from '../../domain/errors.ts';
import { auditBackup } from './audit-backup.ts';
import type { BackupsActivityDeps } from './deps.ts';
import { checkArchive, readArchive } from './read-archive.ts';
import { reportProgress } from './report-progress.ts';
import { requireOwner } from './require-owner.ts';
import { toolOf } from './tool-of.ts';

const DAY_MS = 86_400_000;

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
export async function restoreScratch(deps: BackupsActivityDeps, job: RestoreJob, signal: AbortSignal): Promise<void> {
  const backup = await requireBackup(deps, job);
  const tool = toolOf(deps, job.engine);
  const scratch = scratchName('restore', job.id);
  await enter(deps, job, 'restoring');
  const progress = reportProgress((bytes) => deps.restores.change(job.id, { bytesRead: bytes }).then(() => undefined));
  const archive = await readArchive(deps, backup, { signal, onProgress: progress.report });
  await tool.restoreInto({ from: backup.databaseName, scratch }, archive, { signal });
  await progress.stop();
  await enter(deps, job, 'verifying');
  await requireCounts(backup, await tool.figures(scratch, signal));
}

/** Puts the new database in the place of the old one, which is kept. Idempotent: done already, it changes nothing. */
export async function swapDatabases(deps: BackupsActivityDeps, job: RestoreJob, signal: AbortSignal): Promise<void> {
  await requireBackup(deps, job);
  const kept = scratchName('kept', job.id);
  await enter(deps, job, 'swapping');
  const names = { live: job.databaseName, scratch: scratchName('restore', job.id), kept };
  await toolOf(deps, job.engine).swap(names, { signal });
  const keptUntil = new Date(deps.now().getTime() + deps.settings.keptDays * DAY_MS);
  await deps.restores.change(job.id, { keptDatabase: kept, keptUntil });
}

/**
 * Restores the archive over the database that it was made of. The archive is read to its end before, so that none that was
 * cut off or changed overwrites anything. Not idempotent for a half-done restore: it begins anew.
 */
export async function restoreInPlace(deps: BackupsActivityDeps, job: RestoreJob, signal: AbortSignal): Promise<void> {
  const backup = await requireBackup(deps, job);
  const tool = toolOf(deps, job.engine);
  await checkArchive(deps, backup, signal);
  await enter(deps, job, 'restoring');
  const progress = reportProgress((bytes) => deps.restores.change(job.id, { bytesRead: bytes }).then(() => undefined));
  const archive = await readArchive(deps, backup, { signal, onProgress: progress.report });
  await tool.restoreInPlace(job.databaseName, archive, { signal });
  await progress.stop();
}

/** Notes which part of a restore begins. */
export async function enter({ restores }: BackupsActivityDeps, { id }: RestoreJob, phase: RestorePhase): Promise<void> {
  await restores.change(id, { phase });
}

async function requireCounts(backup: Backup, restored: Readonly<Record<string, number>>): Promise<void> {
  const difference = compareFigures(backup.figures ?? {}, restored);
  if (difference === null) return;
  throw new FairleadError('RESTORE_FAILED', `${difference.message}. The database is as it was before`);
}

/** Ends a restore. Of one that failed the database is opened again, and the new one is dropped. Idempotent. */
export async function endRestore(
  deps: BackupsActivityDeps,
  { job, problem }: EndedRestore,
  signal: AbortSignal,
): Promise<void> {
  const { tools, restores, now } = deps;
  if (problem !== null) {
    await tools[job.engine]?.reopen(job.databaseName, { signal });
    if (job.mode === 'swap') await tools[job.engine]?.drop(scratchName('restore', job.id));
  }
  const end =
    problem === null ? ({ status: 'completed', phase: 'done' } as const) : ({ status: 'failed', problem } as const);
  await restores.insert(runningRestore(job));
  await restores.change(job.id, { ...end, finishedAt: now() });
  const { id, requestedBy: actor, org, requestId, backupId, mode } = job;
  const type = problem === null ? 'backup.restored' : 'backup.restore_failed';
  const data = { backupId, mode, code: problem?.code ?? null };
  await auditBackup(deps, { type, id, actor, database: job, org, requestId, data });
}
