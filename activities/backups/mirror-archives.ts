import { type ListedArchive, planMirror } from '../../domain/backups/mirror.ts';
import { eachItem } from '../../domain/each-item.ts';
import type { ObjectStore } from '../../domain/objects/ports.ts';
import type { BackupsActivityDeps } from './deps.ts';

export interface MirrorRun {
  readonly copied: number;
  readonly removed: number;
  /** Why nothing was removed; null as a rule. */
  readonly refused: string | null;
}

/**
 * Removes what killed uploads left, and makes the off-site bucket have what the bucket has. Idempotent: it compares both, and copies whole objects.
 * @returns null where there is no off-site bucket
 * @throws OBJECT_STORE_UNREACHABLE for a listing that could not be read to its end: then nothing was done
 */
export async function mirrorArchives(deps: BackupsActivityDeps, signal: AbortSignal): Promise<MirrorRun | null> {
  const { archives, mirror, backups } = deps;
  await removeLeftParts(deps, signal);
  if (mirror === null) return null;
  // The records first: what is completed after this may be in the listing or not, and is never taken for lost.
  const recorded = new Map<string, number>();
  for await (const { objectKey, sizeBytes } of eachItem(
    (page) => backups.list({ statuses: ['completed'] }, page),
    signal,
  )) {
    if (objectKey !== null && sizeBytes !== null) recorded.set(objectKey, sizeBytes);
  }
  const [source, target] = [await listAll(archives, signal), await listAll(mirror, signal)];
  const { copy, remove, refused } = planMirror(source, target, recorded);
  for (const { key } of copy) await mirror.put(key, await archives.get(key, { signal }), { signal });
  for (const key of remove) await mirror.delete(key, { signal });
  return { copied: copy.length, removed: remove.length, refused };
}

/** Parts of uploads whose process was killed take space and are in no listing. No dump takes as long as these are old. */
async function removeLeftParts({ archives, now, settings }: BackupsActivityDeps, signal: AbortSignal): Promise<void> {
  await archives.ensureBucket();
  await archives.abortIncomplete('', new Date(now().getTime() - 2 * settings.dumpTimeoutMs), { signal });
}

async function listAll(store: ObjectStore, signal: AbortSignal): Promise<readonly ListedArchive[]> {
  const listed: ListedArchive[] = [];
  for await (const { key, bytes } of store.list('', { signal })) listed.push({ key, bytes });
  return listed;
}
