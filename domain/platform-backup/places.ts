import type { BackupTier } from '../backups/backup.ts';
import type { Retention } from '../backups/retention.ts';

/** The last object of a backup: without it, nothing of that backup counts. */
export const MANIFEST_FILE = 'manifest.json';

const FOLDER = /^(manual|daily|weekly|monthly)\/([0-9TZ-]+)-(pbk_[0-9a-z]{20})\//;

/** A backup as its place lists it. */
export interface ListedPlatformBackup {
  readonly id: string;
  readonly tier: BackupTier;
  /** Ends with `/`. */
  readonly folder: string;
  /** Whether its manifest is there. */
  readonly isComplete: boolean;
  readonly keys: readonly string[];
  /** When the newest of its objects was written. */
  readonly changedAt: Date;
}

/** Under which all objects of a backup lie: `daily/2026-11-28T02-15-00-000Z-pbk_…/`. In the order of their begin, within a tier. */
export function backupFolder({
  id,
  tier,
  startedAt,
}: {
  readonly id: string;
  readonly tier: BackupTier;
  readonly startedAt: string;
}): string {
  return `${tier}/${startedAt.replaceAll(/[:.]/g, '-')}-${id}/`;
}

/** The backups of a place, the newest first; what is not of a backup is left out, and so never deleted. */
export function listedBackups(
  objects: readonly { readonly key: string; readonly modifiedAt: Date }[],
): readonly ListedPlatformBackup[] {
  const known = objects.flatMap((object) => {
    const [folder, tier, startedAt, id] = FOLDER.exec(object.key) ?? [];
    if (folder === undefined || startedAt === undefined || id === undefined) return [];
    return [{ ...object, folder, tier: tier as BackupTier, startedAt, id }];
  });
  const backups = [...Map.groupBy(known, ({ folder }) => folder)].flatMap(([folder, files]) => {
    const [first] = files;
    if (first === undefined) return [];
    const { id, tier, startedAt } = first;
    const keys = files.map(({ key }) => key);
    const changedAt = new Date(Math.max(...files.map(({ modifiedAt }) => modifiedAt.getTime())));
    return [{ id, tier, folder, startedAt, keys, changedAt, isComplete: keys.includes(`${folder}${MANIFEST_FILE}`) }];
  });
  return backups.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1)).map(({ startedAt: _, ...backup }) => backup);
}

/**
 * Which backups retention deletes, the newest first as they are given: in each tier the complete ones behind the newest so many.
 * Manual ones stay, and so does the newest of all, whatever its tier. One without a manifest goes once nobody can be at work on it.
 */
export function expiredPlatformBackups(
  backups: readonly ListedPlatformBackup[],
  retention: Retention,
  leftBefore: Date,
): readonly ListedPlatformBackup[] {
  const newest = backups.find(({ isComplete }) => isComplete);
  const left = backups.filter(({ isComplete, changedAt }) => !isComplete && changedAt < leftBefore);
  const complete = Map.groupBy(
    backups.filter(({ isComplete }) => isComplete),
    ({ tier }) => tier,
  );
  const old = [...complete].flatMap(([tier, members]) => (tier === 'manual' ? [] : members.slice(retention[tier])));
  return [...left, ...old.filter((backup) => backup !== newest)];
}
