import type { ObjectStore } from '../../domain/objects/ports.ts';
import { type ListedFolder, leftFolders, MANIFEST_FILE } from '../../domain/platform-backup/places.ts';
import type { BackupPlace } from '../../domain/platform-backup/ports.ts';
import type { PlatformBackupDeps } from './deps.ts';

/**
 * Deletes what killed attempts left at the place: files that were not written to their end, and folders without a manifest, once nobody can be
 * at work on them. What has a manifest stays. @returns how many folders it deleted
 */
export async function sweepLeft(
  { now, settings }: Pick<PlatformBackupDeps, 'now' | 'settings'>,
  { place, folders }: { readonly place: BackupPlace; readonly folders: readonly ListedFolder[] },
  signal: AbortSignal,
): Promise<number> {
  const before = new Date(now().getTime() - 2 * settings.timeoutMs);
  await place.abortIncomplete('', before, { signal });
  const left = leftFolders(folders, before);
  for (const { folder } of left) await deleteBackup(place, folder, signal);
  return left.length;
}

type Place = Pick<ObjectStore, 'list' | 'delete'>;

/** The manifest goes first: half of what is left has none, and nobody takes it for a backup. */
export async function deleteBackup(place: Place, folder: string, signal: AbortSignal): Promise<void> {
  await place.delete(`${folder}${MANIFEST_FILE}`, { signal });
  await deleteOthers(place, folder, { keep: () => false, signal });
}

/** Deletes what a folder has, but the keys that are kept. */
export async function deleteOthers(
  place: Place,
  folder: string,
  { keep, signal }: { readonly keep: (key: string) => boolean; readonly signal: AbortSignal },
): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of place.list(folder, { signal })) keys.push(key);
  for (const key of keys) if (!keep(key)) await place.delete(key);
}
