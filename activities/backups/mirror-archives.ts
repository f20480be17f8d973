import { leftKeys } from '../../domain/backups/backup.ts';
import { type ListedArchive, planMirror } from '../../domain/backups/mirror.ts';
import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ObjectStore } from '../../domain/objects/ports.ts';
import type { BackupsActivityDeps } from './deps.ts';

export interface MirrorRun {
  readonly copied: number;
  readonly removed: number;
  /** Why nothing was removed; null as a rule. */
  readonly refused: string | null;
  /** Keys of archives that could not be copied, so many of them as travel through a workflow; the next run tries them again. */
  readonly failed: readonly string[];
  /** How many could not be copied; absent in a run that began before they were counted. */
  readonly failures?: number;
}

const ENDED = ['completed', 'pruned', 'failed'] as const;

/** Keys of archives that are named. */
const MOST_NAMED = 100;

/** After so many archives in a row that cannot be copied, one of the buckets is away. */
const MOST_FAILURES = 3;

/**
 * Removes what killed uploads left, and makes the off-site bucket have what the bucket has. Idempotent: it compares both, and copies whole objects.
 * @returns null where there is no off-site bucket
 * @throws OBJECT_STORE_UNREACHABLE for a listing that could not be read to its end: then nothing was done
 */
export async function mirrorArchives(deps: BackupsActivityDeps, signal: AbortSignal): Promise<MirrorRun | null> {
  const { archives, mirror, backups } = deps;
  await removeLeftParts(deps, signal);
  await removeLeftArchives(deps, signal);
  if (mirror === null) return null;
  // The records first: what is completed after this may be in the listing or not, and is never taken for lost.
  const recorded = new Map<string, number>();
  const sums = new Map<string, string>();
  for await (const { objectKey, sizeBytes, sha256 } of eachItem(
    (page) => backups.list({ statuses: ['completed'] }, page),
    signal,
  )) {
    if (objectKey === null) continue;
    if (sizeBytes !== null) recorded.set(objectKey, sizeBytes);
    if (sha256 !== null) sums.set(objectKey, sha256);
  }
  const [source, target] = [await listAll(archives, signal), await listAll(mirror, signal)];
  const ended = await listEnded(deps, excess(target, source), signal);
  const { copy, remove, refused } = planMirror(source, target, recorded, ended);
  const { copied, failed, failures } = await copyEach({ archives, mirror, sums }, copy, signal);
  for (const key of remove) await mirror.delete(key, { signal });
  return { copied, removed: remove.length, refused, failed, failures };
}

interface Copying {
  readonly archives: ObjectStore;
  readonly mirror: ObjectStore;
  /** SHA-256 of archives, by their keys, as their records say it. */
  readonly sums: ReadonlyMap<string, string>;
}

/**
 * One archive that cannot be read, or is not what was uploaded any more, keeps no other from its copy, and has none.
 * @throws when several in a row cannot be copied
 */
async function copyEach(
  { archives, mirror, sums }: Copying,
  copy: readonly ListedArchive[],
  signal: AbortSignal,
): Promise<Pick<MirrorRun, 'copied' | 'failed'> & { readonly failures: number }> {
  const failed: string[] = [];
  let failures = 0;
  let copied = 0;
  let inARow = 0;
  const fail = (key: string): void => {
    failures += 1;
    if (failed.length < MOST_NAMED) failed.push(key);
  };
  for (const { key } of copy) {
    try {
      const { sha256 } = await mirror.put(key, await archives.get(key, { signal }), { signal });
      inARow = 0;
      if ((sums.get(key) ?? sha256) === sha256) {
        copied += 1;
        continue;
      }
      await mirror.delete(key, { signal });
      fail(key);
    } catch (error) {
      signal.throwIfAborted();
      // Retention was faster.
      if (error instanceof FairleadError && error.code === 'OBJECT_NOT_FOUND') continue;
      inARow += 1;
      if (inARow >= MOST_FAILURES) throw error;
      fail(key);
    }
  }
  return { copied, failed, failures };
}

/** What the mirror has and the bucket has not. */
function excess(target: readonly ListedArchive[], source: readonly ListedArchive[]): ReadonlySet<string> {
  const inSource = new Set(source.map(({ key }) => key));
  return new Set(target.map(({ key }) => key).filter((key) => !inSource.has(key)));
}

/** Those keys that count for no backup by its record: retention deleted it, it failed, or another attempt completed it. */
async function listEnded(
  { backups }: BackupsActivityDeps,
  keys: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (keys.size === 0) return keys;
  const ended = new Set<string>();
  for await (const backup of eachItem((page) => backups.list({ statuses: ENDED }, page), signal)) {
    for (const key of leftKeys(backup)) if (keys.has(key)) ended.add(key);
  }
  return ended;
}

/** Parts of uploads whose process was killed take space and are in no listing. No dump takes as long as these are old. */
async function removeLeftParts({ archives, now, settings }: BackupsActivityDeps, signal: AbortSignal): Promise<void> {
  await archives.ensureBucket();
  await archives.abortIncomplete('', new Date(now().getTime() - 2 * settings.dumpTimeoutMs), { signal });
}

/** Whole archives of attempts that were killed before they could delete them. No attempt of a backup goes on so long after its end. */
async function removeLeftArchives(deps: BackupsActivityDeps, signal: AbortSignal): Promise<void> {
  const { archives, backups, now, settings } = deps;
  const endedBefore = now().getTime() - 2 * settings.dumpTimeoutMs;
  const left: string[] = [];
  const keys = new Set((await listAll(archives, signal)).map(({ key }) => key));
  for await (const backup of eachItem((page) => backups.list({ statuses: ENDED }, page), signal)) {
    if (backup.finishedAt === null || backup.finishedAt.getTime() > endedBefore) continue;
    left.push(...leftKeys(backup).filter((key) => keys.has(key)));
  }
  for (const key of left) await archives.delete(key, { signal });
}

async function listAll(store: ObjectStore, signal: AbortSignal): Promise<readonly ListedArchive[]> {
  const listed: ListedArchive[] = [];
  for await (const { key, bytes } of store.list('', { signal })) listed.push({ key, bytes });
  return listed;
}
