import { type Backup, type BackupProblem, type ListedBackup, leftKeys } from '../../domain/backups/backup.ts';
import type { BackupJob } from '../../domain/backups/messages.ts';
import { runningBackup, unmadeBackup } from '../../domain/backups/new-record.ts';
import { objectKey } from '../../domain/backups/object-key.ts';
import { expiredBackups } from '../../domain/backups/retention.ts';
import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import { auditBackup } from './audit-backup.ts';
import type { BackupsActivityDeps } from './deps.ts';
import { reportProgress, type TellBytes } from './report-progress.ts';
import { requireOwner } from './require-owner.ts';
import { toolOf } from './tool-of.ts';

/** So long at most the end of a backup waits for the object store: what it left there, the mirror's run removes. */
const DELETE_MS = 30_000;

export interface FailedJob {
  readonly job: BackupJob;
  readonly problem: BackupProblem;
}

/** Writes the record of a backup that begins. Idempotent: the first record stays. */
export async function openBackup(
  { backups, settings }: BackupsActivityDeps,
  job: BackupJob,
): Promise<{ readonly dumpTimeoutMs: number }> {
  await backups.insert(runningBackup(job));
  return { dumpTimeoutMs: settings.dumpTimeoutMs };
}

/**
 * Dumps the database straight into the bucket and completes the record once the bucket has all of it. Each attempt uploads
 * under a key of its own, as one that lost the server may live on beside the next; the one whose key the record names counts.
 * Idempotent: a backup that is completed stays as it is.
 */
export async function dumpDatabase(
  deps: BackupsActivityDeps,
  job: BackupJob,
  signal: AbortSignal,
  tell?: TellBytes,
): Promise<void> {
  const { backups, archives, now } = deps;
  const backup = await backups.find(job.id);
  // An earlier attempt may have been killed before the ledger knew.
  if (backup?.status === 'completed') return await auditCompleted(deps, job, backup);
  await requireOwner(deps, job);
  const key = await noteUpload(deps, backup, job.id);
  await archives.ensureBucket();
  const progress = reportProgress((bytes) => backups.setProgress(job.id, bytes), tell);
  const { stored, figures } = await toolOf(deps, job.engine).dump(
    job.databaseName,
    (archive) => archives.put(key, archive, { signal, onProgress: progress.report }),
    { signal },
  );
  await progress.stop();
  await assertStored(deps, key, stored);
  // What was dumped is of the service only if the database was its own all the time.
  await requireOwner(deps, job);
  const change = {
    ...({ status: 'completed', finishedAt: now(), objectKey: key, figures } as const),
    ...{ sizeBytes: stored.bytes, sha256: stored.sha256 },
  };
  if (!(await backups.change(job.id, 'running', change))) return giveWay(deps, job, key);
  await auditCompleted(deps, job, change);
  // What is left now, the mirror's run removes.
  await deleteLeft(deps, job.id).catch(() => undefined);
}

/** Deletes what attempts that do not count have uploaded. */
export async function deleteLeft(
  { backups, archives }: BackupsActivityDeps,
  id: string,
  signal?: AbortSignal,
): Promise<void> {
  const backup = await backups.find(id);
  if (backup === null || backup.status === 'running') return;
  for (const key of leftKeys(backup)) await archives.delete(key, signal && { signal });
}

/** The key of an attempt that begins now, which is on record before anything lies there. */
async function noteUpload({ backups, now }: BackupsActivityDeps, backup: Backup | null, id: string): Promise<string> {
  let current = backup;
  for (let begun = now().getTime(); current?.status === 'running'; begun += 1) {
    const key = objectKey(current, new Date(begun));
    if (await backups.noteUpload(id, key)) return key;
    current = await backups.find(id);
  }
  throw new FairleadError('CONFLICT', `The backup ${id} has ended already`);
}

/**
 * Another attempt completed the backup meanwhile, or it was given up: this one deletes what it uploaded itself, and nothing else.
 * @throws CONFLICT for a backup that was given up
 */
async function giveWay(deps: BackupsActivityDeps, job: BackupJob, key: string): Promise<void> {
  const { backups, archives } = deps;
  const { id } = job;
  const backup = await backups.find(id);
  if (backup?.objectKey !== key) await archives.delete(key);
  if (backup?.status === 'completed') return await auditCompleted(deps, job, backup);
  throw new FairleadError('CONFLICT', `The backup ${id} ended while it was made`);
}

/** The bucket is asked again, with another request than the upload: what it does not have is no backup. */
async function assertStored(
  { archives }: BackupsActivityDeps,
  key: string,
  stored: { readonly bytes: number; readonly etag: string },
): Promise<void> {
  const found = await archives.head(key);
  if (stored.bytes > 0 && found?.bytes === stored.bytes && found.etag === stored.etag) return;
  const has = found === null ? 'nothing' : `${found.bytes} bytes`;
  const message = `The bucket has ${has} under ${key} instead of the ${stored.bytes} bytes that were uploaded`;
  throw new FairleadError('DUMP_FAILED', message);
}

/** Fails a backup that runs, and deletes what its attempts may have uploaded, as far as the object store answers. Idempotent: a backup that ended stays as it is. */
export async function failBackup(deps: BackupsActivityDeps, { job, problem }: FailedJob): Promise<void> {
  const { backups, now } = deps;
  const isNew = await backups.insert({ ...unmadeBackup(job, 'failed', problem), finishedAt: now() });
  const change = { status: 'failed', finishedAt: now(), problem, sizeBytes: null, objectKey: null } as const;
  if (!isNew) await backups.change(job.id, 'running', change);
  const backup = await backups.find(job.id);
  // The last attempt was killed between the record and its result.
  if (backup?.status === 'completed') await auditCompleted(deps, job, backup);
  if (backup?.status !== 'failed') return;
  // Without the object store it has failed all the same, and its database is free.
  await deleteLeft(deps, job.id, AbortSignal.timeout(DELETE_MS)).catch(() => undefined);
  await auditEnd(deps, job, 'backup.failed', { code: problem.code });
}

/** Idempotent: whoever finds the backup completed tells the same. */
function auditCompleted(
  deps: BackupsActivityDeps,
  job: BackupJob,
  { sizeBytes, sha256 }: Pick<Backup, 'sizeBytes' | 'sha256'>,
): Promise<void> {
  return auditEnd(deps, job, 'backup.completed', { bytes: sizeBytes ?? 0, sha256: sha256 ?? '' });
}

function auditEnd(deps: BackupsActivityDeps, job: BackupJob, type: string, data: Record<string, string | number>) {
  const { id, requestedBy: actor, org, requestId } = job;
  return auditBackup(deps, { type, id, actor, database: job, org, requestId, data });
}

/** Deletes the archives of a database that retention does not keep. Idempotent: a record loses its archive first. */
export async function pruneBackups(deps: BackupsActivityDeps, job: BackupJob, signal: AbortSignal): Promise<number> {
  const { backups, settings } = deps;
  const { service, environment, engine, databaseName } = job;
  const filter = { service, environment, engine, databaseName, statuses: ['completed', 'pruned'] as const };
  const found: ListedBackup[] = [];
  for await (const backup of eachItem((page) => backups.list(filter, page), signal)) {
    // A worker that died between the two writes has left an archive that no record counts.
    if (backup.status === 'pruned' && backup.objectKey === null) continue;
    found.push(backup);
  }
  const expired = expiredBackups(found, settings.retention);
  const left = found.filter(({ status }) => status === 'pruned');
  for (const backup of [...left, ...expired]) await deleteArchive(deps, backup);
  return expired.length;
}

async function deleteArchive({ backups, archives }: BackupsActivityDeps, backup: ListedBackup): Promise<void> {
  if (backup.status === 'completed' && !(await backups.change(backup.id, 'completed', { status: 'pruned' }))) return;
  if (backup.objectKey !== null) await archives.delete(backup.objectKey);
  await backups.change(backup.id, 'pruned', { objectKey: null });
}
