import { leftFolders, listedFolders, type PlacedObject } from '../../domain/platform-backup/places.ts';
import type { BackupPlace } from '../../domain/platform-backup/ports.ts';

/**
 * Deletes what killed attempts left at the place: files that were not written to their end, and folders without a manifest, whose newest file
 * is older than that. What has a manifest stays.
 */
export async function sweepLeft(place: BackupPlace, leftBefore: Date, signal: AbortSignal): Promise<void> {
  await place.abortIncomplete('', leftBefore, { signal });
  const placed: PlacedObject[] = [];
  for await (const object of place.list('', { signal })) placed.push(object);
  for (const { objects } of leftFolders(listedFolders(placed), leftBefore)) {
    for (const key of objects.keys()) await place.delete(key, { signal });
  }
}
