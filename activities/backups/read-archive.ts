import { createHash } from 'node:crypto';
import type { Backup } from '../../domain/backups/backup.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { BackupsActivityDeps } from './deps.ts';

export interface ArchiveReading {
  readonly signal: AbortSignal;
  /** Told how many bytes were read until now. */
  readonly onProgress?: (bytes: number) => void;
  /** Of the archive as it has to be, where it was read before. */
  readonly etag?: string | undefined;
}

/**
 * The archive of a backup, in pieces that are used up once the next one is asked for. Its end fails when it is not what was
 * uploaded: whoever restores it takes it as restored only when all of it was read.
 * @throws NOT_RESTORABLE for a backup without an archive, and for one whose archive was changed or cut off
 */
export async function readArchive(
  { archives }: Pick<BackupsActivityDeps, 'archives'>,
  backup: Backup,
  { signal, onProgress, etag }: ArchiveReading,
): Promise<AsyncIterable<Uint8Array>> {
  const { id, objectKey, sha256, sizeBytes } = backup;
  if (backup.status !== 'completed' || objectKey === null) {
    throw new FairleadError('NOT_RESTORABLE', `The backup ${id} is ${backup.status}: it has no archive`);
  }
  const stored = await archives.get(objectKey, { signal, reusesMemory: true, ...(etag === undefined ? {} : { etag }) });
  return checked();

  async function* checked(): AsyncGenerator<Uint8Array, void, undefined> {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of stored) {
      hash.update(chunk);
      bytes += chunk.byteLength;
      onProgress?.(bytes);
      yield chunk;
    }
    if (bytes === sizeBytes && hash.digest('hex') === sha256) return;
    const message = `The archive of the backup ${id} is not what was uploaded: restore another backup, and see docs/backups.md`;
    throw new FairleadError('NOT_RESTORABLE', message, { details: { backupId: id, bytes, expected: sizeBytes } });
  }
}

/**
 * Reads the archive to its end, and keeps nothing of it.
 * @returns its etag: whoever reads it by that once more reads what was checked. @throws as {@link readArchive}
 */
export async function checkArchive(
  deps: Pick<BackupsActivityDeps, 'archives'>,
  backup: Backup,
  signal: AbortSignal,
): Promise<string | undefined> {
  const stored = backup.objectKey === null ? null : await deps.archives.head(backup.objectKey, { signal });
  const etag = stored?.etag;
  for await (const _ of await readArchive(deps, backup, { signal, etag })) signal.throwIfAborted();
  return etag;
}
