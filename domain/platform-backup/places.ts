import type { BackupTier } from '../backups/backup.ts';
import type { Retention } from '../backups/retention.ts';
import { FairleadError } from '../errors.ts';
import type { StoredObject } from '../objects/ports.ts';
import type { ProvenManifest } from './manifest.ts';

/** The last object of a backup: without it, nothing of that backup counts. */
export const MANIFEST_FILE = 'manifest.json';

const FOLDER = /^(?:manual|daily|weekly|monthly)\/[0-9TZ-]+-(pbk_[0-9a-z]{20})\//;

/** An object of the place, as its list has it. */
export type PlacedObject = Pick<StoredObject, 'key' | 'bytes' | 'modifiedAt'>;

/** A folder of a backup, by its name alone, which whoever may write to the place can choose. */
export interface ListedFolder {
  readonly id: string;
  /** Ends with `/`. */
  readonly folder: string;
  /** Whether there is a manifest. */
  readonly isComplete: boolean;
  /** Bytes by key. */
  readonly objects: ReadonlyMap<string, number>;
  /** When the newest of its objects was written. */
  readonly changedAt: Date;
}

/** A backup whose manifest the platform wrote, and which lies where it was put. */
export interface GenuineBackup {
  readonly folder: string;
  readonly manifest: ProvenManifest;
  /** What the place does not have of it any more, in words. */
  readonly lost: readonly string[];
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

/** The folders of backups at a place; what is not of a backup is left out, and so never deleted. */
export function listedFolders(objects: readonly PlacedObject[]): readonly ListedFolder[] {
  const known = objects.flatMap((object) => {
    const [folder, id] = FOLDER.exec(object.key) ?? [];
    return folder === undefined || id === undefined ? [] : [{ ...object, folder, id }];
  });
  return [...Map.groupBy(known, ({ folder }) => folder)].map(([folder, files]) => ({
    ...{ id: files[0]?.id ?? '', folder },
    isComplete: files.some(({ key }) => key === `${folder}${MANIFEST_FILE}`),
    objects: new Map(files.map(({ key, bytes }) => [key, bytes])),
    changedAt: new Date(Math.max(...files.map(({ modifiedAt }) => modifiedAt.getTime()))),
  }));
}

/** @throws NOT_RESTORABLE where the manifest is that of another folder: a copy under another name is no backup */
export function genuineBackup({ folder, objects }: ListedFolder, manifest: ProvenManifest): GenuineBackup {
  if (backupFolder(manifest) !== folder) {
    throw new FairleadError('NOT_RESTORABLE', `Its manifest is that of ${backupFolder(manifest)}`);
  }
  const lost = manifest.parts.flatMap(({ name, file, bytes }) => {
    const has = objects.get(`${folder}${file}`);
    return has === bytes
      ? []
      : [`${name}: ${has === undefined ? 'no file' : `${has} bytes`} instead of ${bytes} bytes`];
  });
  return { folder, manifest, lost };
}

export function newestFirst(a: GenuineBackup, b: GenuineBackup): number {
  const later = Date.parse(b.manifest.startedAt) - Date.parse(a.manifest.startedAt);
  return later || (a.manifest.id < b.manifest.id ? 1 : -1);
}

/**
 * Which backups retention deletes of those that the platform made, the newest first as they are given: in each tier those behind the newest
 * so many. Manual ones stay, and so does the newest of all, whatever its tier. One that has lost something counts for nothing, and stays too.
 */
export function expiredPlatformBackups(
  backups: readonly GenuineBackup[],
  retention: Retention,
): readonly GenuineBackup[] {
  const whole = backups.filter(({ lost }) => lost.length === 0);
  return [...Map.groupBy(whole, ({ manifest }) => manifest.tier)]
    .flatMap(([tier, members]) => (tier === 'manual' ? [] : members.slice(retention[tier])))
    .filter((backup) => backup !== whole[0]);
}

/** Folders without a manifest, once nobody can be at work on them. */
export function leftFolders(folders: readonly ListedFolder[], leftBefore: Date): readonly ListedFolder[] {
  return folders.filter(({ isComplete, changedAt }) => !isComplete && changedAt < leftBefore);
}
