import type { BackupProblem } from '../../domain/backups/backup.ts';
import { FairleadError } from '../../domain/errors.ts';
import { lookAtPlace } from '../../domain/platform-backup/look.ts';
import { MANIFEST_FORMAT, type ManifestPart, writeManifest } from '../../domain/platform-backup/manifest.ts';
import type { PlatformBackupJob } from '../../domain/platform-backup/messages.ts';
import { runningRecord } from '../../domain/platform-backup/new-record.ts';
import { partName, platformParts } from '../../domain/platform-backup/parts.ts';
import { backupFolder, expiredPlatformBackups, MANIFEST_FILE } from '../../domain/platform-backup/places.ts';
import type { PlatformBackupDeps } from './deps.ts';
import { reportPlace } from './night.ts';
import { requireConfigured } from './open-backup.ts';
import { deleteBackup, deleteOthers, sweepLeft } from './sweep.ts';

export interface CompletedParts {
  readonly job: PlatformBackupJob;
  readonly parts: readonly ManifestPart[];
}

export interface FailedPlatformBackup {
  readonly job: PlatformBackupJob;
  readonly problem: BackupProblem;
}

const MANIFEST_TYPE = { contentType: 'application/json' } as const;

/**
 * Writes the manifest, which makes the files of a backup one, and then the record. Idempotent: the manifest says the same, but for its time.
 * @throws CONFLICT when the backup has ended meanwhile: then it has no manifest
 */
export async function completeBackup(
  deps: PlatformBackupDeps,
  { job, parts }: CompletedParts,
  signal: AbortSignal,
): Promise<void> {
  const { records, now, settings } = deps;
  const { place, recovery } = requireConfigured(deps);
  const wanted = platformParts().map(partName);
  const lacking = wanted.filter((name) => !parts.some((part) => part.name === name));
  if (lacking.length > 0) throw new FairleadError('DUMP_FAILED', `The backup has no ${lacking.join(', ')}`);
  const folder = backupFolder(job);
  await deleteOthers(place, folder, { keep: (key) => parts.some(({ file }) => key === `${folder}${file}`), signal });
  const { id, tier, startedAt } = job;
  const { keys, sealedKeys, manifestKey } = recovery;
  const content = { format: MANIFEST_FORMAT, id, tier, startedAt, completedAt: now().toISOString() } as const;
  const text = writeManifest(
    { ...content, version: settings.version, parts: [...parts], keys: [...keys], sealedKeys },
    manifestKey,
  );
  await place.put(`${folder}${MANIFEST_FILE}`, once(Buffer.from(text)), { ...MANIFEST_TYPE, signal });
  const sizeBytes = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const isNew = await records.finish(id, { status: 'completed', finishedAt: now(), sizeBytes, problem: null });
  if (!isNew && (await records.find(id))?.status !== 'completed') {
    await place.delete(`${folder}${MANIFEST_FILE}`);
    throw new FairleadError('CONFLICT', `The backup ${id} ended while it was made`);
  }
  await audit(deps, job, 'platform.backup_completed', { bytes: sizeBytes, parts: parts.length });
}

/** Fails a backup that runs, and deletes its files as far as the place answers, the manifest first. Idempotent: one that ended stays as it is. */
export async function failBackup(
  deps: PlatformBackupDeps,
  { job, problem }: FailedPlatformBackup,
  signal: AbortSignal,
): Promise<void> {
  const { records, place, now } = deps;
  await records.insert(runningRecord(job));
  await records.finish(job.id, { status: 'failed', finishedAt: now(), sizeBytes: null, problem });
  // The last attempt may have been killed between the record and its result.
  if ((await records.find(job.id))?.status !== 'failed') return;
  if (place !== null) await deleteBackup(place, backupFolder(job), signal).catch(() => signal.throwIfAborted());
  await audit(deps, job, 'platform.backup_failed', { code: problem.code });
}

/**
 * Deletes what retention does not keep, and what killed processes have left. What is not as the platform made it counts for nothing, stays
 * where it is, and raises an alarm of that night. @returns how many backups it deleted
 */
export async function pruneBackups(deps: PlatformBackupDeps, signal: AbortSignal): Promise<number> {
  const { place, recovery } = requireConfigured(deps);
  const { folders, genuine, strange } = await lookAtPlace(place, recovery.manifestKey, { signal });
  const left = await sweepLeft(deps, { place, folders }, signal);
  const expired = expiredPlatformBackups(genuine, deps.settings.retention);
  for (const { folder } of expired) await deleteBackup(place, folder, signal);
  await reportPlace(deps, [
    ...strange.map(({ folder, reason }) => `${folder}: ${reason}`),
    ...genuine.flatMap(({ folder, lost }) => (lost.length === 0 ? [] : [`${folder} has lost ${lost.join(', ')}`])),
  ]);
  return left + expired.length;
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/** Idempotent: by type and id. */
async function audit(
  { audit: recorder }: PlatformBackupDeps,
  { id, requestedBy, requestId }: PlatformBackupJob,
  type: string,
  data: Readonly<Record<string, string | number>>,
): Promise<void> {
  const event = { id: `${type}/${id}`, type, actor: requestedBy, subject: 'platform', orgSlug: null };
  await recorder?.record({ ...event, data: { id, ...data }, requestId, address: null, time: null });
}
