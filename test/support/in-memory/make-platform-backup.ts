import { completeBackup } from '../../../activities/platform-backup/end-backup.ts';
import { openBackup } from '../../../activities/platform-backup/open-backup.ts';
import { storePart } from '../../../activities/platform-backup/store-part.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import type { BackupTier } from '../../../domain/backups/backup.ts';
import type { ManifestPart } from '../../../domain/platform-backup/manifest.ts';
import type { PlatformBackupJob } from '../../../domain/platform-backup/messages.ts';
import type { PlatformBackupParts } from './platform-backup-parts.ts';

/** One backup, in the order of the workflow, without its retention. @returns its id */
export async function makePlatformBackup(
  { deps }: Pick<PlatformBackupParts, 'deps'>,
  { startedAt, tier = 'daily' }: { readonly startedAt: Date; readonly tier?: BackupTier },
): Promise<string> {
  const signal = AbortSignal.timeout(60_000);
  const job: PlatformBackupJob = {
    ...{ id: newId('platformBackup'), kind: 'nightly', tier, night: null, requestedBy: 'schedule', requestId: null },
    startedAt: startedAt.toISOString(),
  };
  const { parts } = await openBackup(deps, job);
  const stored: ManifestPart[] = [];
  for (const part of parts) stored.push(await storePart(deps, { job, part }, signal, () => undefined));
  await completeBackup(deps, { job, parts: stored }, signal);
  return job.id;
}
