import {
  type BackedUpDatabase,
  type Backup,
  type BackupProblem,
  groupKey,
  type ListedBackup,
} from '../../domain/backups/backup.ts';
import type { BackupJob, RestoreJob } from '../../domain/backups/messages.ts';
import { eachItem } from '../../domain/each-item.ts';
import { auditBackup } from './audit-backup.ts';
import type { BackupsActivityDeps } from './deps.ts';
import { deleteLeft } from './make-backup.ts';
import { endRestore } from './restore-database.ts';

const ABANDONED_BACKUP: BackupProblem = {
  code: 'BACKUP_ABANDONED',
  message: 'The workflow of the backup ended without a result: it was terminated, or lost. Start another backup',
};
const ABANDONED_RESTORE: BackupProblem = {
  code: 'RESTORE_ABANDONED',
  message: 'The workflow of the restore ended without a result: it was terminated, or lost. Start it again',
};

/** A restore that runs by its record, and that no workflow runs. */
export interface AbandonedRestore extends BackedUpDatabase {
  readonly id: string;
  /** ISO time. */
  readonly startedAt: string;
}

/**
 * Ends the records of backups that say `running` and that no workflow runs. Idempotent.
 * @returns the restores of which that is true as well: to end one may mean to replace a whole database
 */
export async function closeAbandoned(
  deps: BackupsActivityDeps,
  signal: AbortSignal,
): Promise<readonly AbandonedRestore[]> {
  const { backups, restores, commands } = deps;
  const runningBackups = await all(eachItem((page) => backups.list({ statuses: ['running'] }, page), signal));
  // After the backups: a restore is on record before the backup that it begins with.
  const runningRestores = await all(eachItem((page) => restores.listRunning(page), signal));
  for (const backup of runningBackups) {
    const ofRestore = runningRestores.find(({ safetyBackupId }) => safetyBackupId === backup.id);
    if (!(await commands.isUnderWay(backup, ofRestore?.id ?? backup.id))) await closeBackup(deps, backup, signal);
  }
  const abandoned: AbandonedRestore[] = [];
  for (const { id, service, environment, engine, databaseName, startedAt } of runningRestores) {
    const database = { service, environment, engine, databaseName };
    if (await commands.isUnderWay(database, id)) continue;
    abandoned.push({ id, ...database, startedAt: startedAt.toISOString() });
  }
  return abandoned;
}

/** It is failed, and loses what was uploaded. */
async function closeBackup(deps: BackupsActivityDeps, backup: ListedBackup, signal: AbortSignal): Promise<void> {
  const { id, requestedBy: actor } = backup;
  const change = { status: 'failed', finishedAt: deps.now(), problem: ABANDONED_BACKUP } as const;
  if (!(await deps.backups.change(id, 'running', change))) return;
  const org = await orgOf(deps, backup);
  const data = { code: ABANDONED_BACKUP.code };
  await auditBackup(deps, { type: 'backup.failed', id, actor, database: backup, org, requestId: null, data });
  // Without the object store a night is planned all the same: what is left, `removeLeftArchives` deletes.
  await deleteLeft(deps, id).catch(() => signal.throwIfAborted());
}

/**
 * Ends a restore whose workflow is gone. It puts nothing new in place: a later restore may be live by now, with all that was
 * written since. A swap that was done is completed; anything else is failed, with the database as it is, or as it was where a
 * part was replaced. Idempotent: one that has ended stays as it is. Nothing else may read or write the database meanwhile.
 * @throws UNAVAILABLE while the server is away
 */
export async function closeRestore(deps: BackupsActivityDeps, restoreId: string, signal: AbortSignal): Promise<void> {
  const restore = await deps.restores.find(restoreId);
  if (restore?.status !== 'running') return;
  const { id, backupId, serviceId, service, environment, engine, databaseName, mode, safetyBackupId } = restore;
  if (service === null || environment === null) return;
  const job: RestoreJob = {
    ...{ id, backupId, serviceId, service, environment, engine, databaseName, mode, safetyBackupId },
    ...{ org: (await orgOf(deps, restore)) ?? '', requestedBy: restore.requestedBy, requestId: null },
    startedAt: restore.startedAt.toISOString(),
  };
  await endRestore(deps, { job, problem: ABANDONED_RESTORE }, signal);
}

/**
 * Ends what restores of the same database have left whose workflows are gone, before a backup or restore of it begins: then it
 * is open and whole, and a worker of theirs that was paused and goes on changes nothing. Idempotent.
 * @throws as {@link closeRestore}
 */
export async function closeEarlierRestores(
  deps: BackupsActivityDeps,
  job: BackupJob | RestoreJob,
  signal: AbortSignal,
): Promise<void> {
  for (const restore of await all(eachItem((page) => deps.restores.listRunning(page), signal))) {
    if (restore.id === job.id || groupKey(restore) !== groupKey(job)) continue;
    // Asked by a worker that was paused, the other one may be the later one.
    if (!(await deps.commands.isUnderWay(restore, restore.id))) await closeRestore(deps, restore.id, signal);
  }
}

/** The org of the service that has the database; null where that is another service by now, or none. */
export async function orgOf(
  { inventory }: Pick<BackupsActivityDeps, 'inventory'>,
  { engine, databaseName, serviceId }: Pick<Backup, 'engine' | 'databaseName' | 'serviceId'>,
): Promise<string | null> {
  const owner = await inventory.ownerOf(engine, databaseName);
  if (owner === null || serviceId === null) return null;
  return [owner.serviceId, ...owner.earlierServiceIds].includes(serviceId) ? owner.org : null;
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
