import { randomBytes } from 'node:crypto';
import { FairleadError } from '../../domain/errors.ts';
import type { ManifestPart } from '../../domain/platform-backup/manifest.ts';
import type { PlatformBackupJob } from '../../domain/platform-backup/messages.ts';
import { type PlatformPart, partContext, partName } from '../../domain/platform-backup/parts.ts';
import { backupFolder } from '../../domain/platform-backup/places.ts';
import type { PlatformBackupDeps } from './deps.ts';
import { requireConfigured } from './open-backup.ts';

export interface PartJob {
  readonly job: PlatformBackupJob;
  readonly part: PlatformPart;
}

/**
 * Reads a part, encrypts it and stores it, all as one stream. Each attempt has a file of its own, so that one that lives on unseen changes
 * nothing of what another has stored: it can be repeated.
 */
export async function storePart(
  deps: PlatformBackupDeps,
  { job, part }: PartJob,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<ManifestPart> {
  const { place, recovery } = requireConfigured(deps);
  const name = partName(part);
  const file = `${name.replace('/', '-')}-${randomBytes(8).toString('hex')}.sealed`;
  const key = `${backupFolder(job)}${file}`;
  const sealed = recovery.seal(deps.readPart(part, signal), partContext(job.id, name));
  const { bytes, sha256, etag } = await place.put(key, sealed, { signal, onProgress });
  // The place is asked again, by another request: what it does not have is no part.
  const found = await place.head(key, { signal });
  if (found?.bytes === bytes && found.etag === etag) return { name, file, bytes, sha256 };
  throw new FairleadError('DUMP_FAILED', `The place has ${found?.bytes ?? 0} bytes of ${name} instead of ${bytes}`);
}
