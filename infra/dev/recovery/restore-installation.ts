import type { Db } from 'mongodb';
import { isFreeFor, removeMark, writeDatabase } from '../../../adapters/platform-backup/database-part.ts';
import { writeFolder } from '../../../adapters/platform-backup/folder-part.ts';
import { FairleadError } from '../../../domain/errors.ts';
import {
  type PlatformFolder,
  type PlatformPart,
  partName,
  platformParts,
} from '../../../domain/platform-backup/parts.ts';
import type { StoringServiceName } from '../../../domain/services.ts';
import type { OpenedBackup } from './open-backup.ts';
import type { RestoreMark, WrittenMark } from './restore-mark.ts';

/** An installation without anything, or with what a restore of the same backup left that was cut off. */
export interface RestoreTarget {
  readMark(): Promise<RestoreMark | null>;
  writeMark(mark: RestoreMark | null): Promise<void>;
  writeKeys(keys: Readonly<Record<string, string>>): Promise<void>;
  /** Asked for once the keys are there: an embedded server is started with them. */
  database(service: StoringServiceName): Promise<Db>;
  folder(name: PlatformFolder): string;
}

/**
 * Restores a backup that was verified: the keys, the databases, the folders. From its first write to its last the target is marked, so that it
 * can be repeated after a cut at any moment, and so that nothing starts on half of it.
 * @throws CONFLICT, with nothing changed in it, for a database that has something of others
 */
export async function restoreInstallation(
  backup: Pick<OpenedBackup, 'manifest' | 'keys' | 'read'>,
  target: RestoreTarget,
  onPart: (name: string) => void,
): Promise<void> {
  const { id, startedAt, version } = backup.manifest;
  const parts = platformParts().filter((part) => backup.manifest.parts.some(({ name }) => name === partName(part)));
  const services = parts.flatMap((part) => (part.kind === 'database' ? [part.name] : []));
  const mark = await target.readMark();
  if (mark?.stage === 'written') return await endRestore(mark, target);
  await target.writeMark({ backupId: id, stage: 'writing' });
  await target.writeKeys(backup.keys);
  await requireFree(target, services, id);
  for (const part of parts) {
    onPart(partName(part));
    await writePart(backup, target, part);
  }
  const written: WrittenMark = { backupId: id, stage: 'written', startedAt, version, services };
  await target.writeMark(written);
  await endRestore(written, target);
}

/** Takes away what marks half a restore, once everything is there. Asks for nothing of the backup, and can be repeated after a cut. */
export async function endRestore(
  { services }: WrittenMark,
  target: Pick<RestoreTarget, 'database' | 'writeMark'>,
): Promise<void> {
  for (const service of services) await removeMark(await target.database(service));
  await target.writeMark(null);
}

/** @throws CONFLICT naming the databases that are not empty */
export async function requireFree(
  { database }: Pick<RestoreTarget, 'database'>,
  services: readonly StoringServiceName[],
  backupId: string,
): Promise<void> {
  const taken: string[] = [];
  for (const service of services) {
    const db = await database(service);
    if (!(await isFreeFor(db, backupId))) taken.push(db.databaseName);
  }
  if (taken.length === 0) return;
  throw new FairleadError(
    'CONFLICT',
    `These databases are not empty: ${taken.join(', ')}. A backup is restored into an empty installation: name another server, or drop them`,
  );
}

async function writePart(
  { manifest: { id }, read }: Pick<OpenedBackup, 'manifest' | 'read'>,
  target: RestoreTarget,
  part: PlatformPart,
): Promise<void> {
  const content = read(partName(part));
  if (part.kind === 'database') await writeDatabase(await target.database(part.name), content, id);
  else await writeFolder(target.folder(part.name), content);
}
