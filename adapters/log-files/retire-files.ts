import { randomUUID } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogRotation } from '../../domain/logs/rotation.ts';
import { compressFile } from './gzip-blocks.ts';
import { compressedPath, fileNumber, fileNumbers, filePath, isMissing, type LogFolder, namesIn } from './log-folder.ts';

/** Ends the name of a compressed file until it is complete. */
const PARTIAL = '.partial';
/** Each attempt has a name of its own: two writers, one of which was paused, never write to the same file. */
const PARTIAL_NAME = /^(.+?)(?:\.[0-9a-f-]{36})?\.partial$/;

/**
 * Puts the rotated files of a log in order: compresses them, and removes those that are too many or too much. For the log's
 * one writer. It can be killed between any two steps: the compressed file gets its name once the disk has it, the plain
 * one goes after that, and a beginning that was left is removed by the next call. To do it twice changes nothing.
 * @param requireWriter asked before each step that a writer which was paused meanwhile must not take
 * @returns bytes that the log takes on the disk
 * @throws errors of the file system, such as ENOSPC while a file is compressed: it then stays as it is; those of
 *   `requireWriter`
 */
export async function retireFiles(
  folder: LogFolder,
  rotation: LogRotation,
  requireWriter: () => Promise<void> = async () => undefined,
): Promise<number> {
  await requireWriter();
  await removeBeginnings(folder);
  const numbers = await fileNumbers(folder);
  await removeOldest(folder, numbers, rotation.retain);
  const newest = numbers.at(-1);
  const kept = numbers.slice(-rotation.retain - 1).filter((number) => number !== newest);
  try {
    for (const number of kept) await compress(folder, number, requireWriter);
  } finally {
    // Also when the disk is full: then above all.
    await requireWriter();
    await keepWithin(folder, rotation.quotaBytes);
  }
  return await bytesOf(folder);
}

/** What the files of a log take on the disk. */
export async function bytesOf(folder: LogFolder): Promise<number> {
  return (await sizesOf(folder)).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Removes all rotated files but the newest ones. @param numbers of all files, ascending */
export async function removeOldest(folder: LogFolder, numbers: readonly number[], retain: number): Promise<void> {
  for (const number of numbers.slice(0, -retain - 1)) await removeFile(folder, number);
}

/** Removes the oldest rotated file. @returns how many bytes that freed; null when there is none */
export async function removeOldestFile(folder: LogFolder): Promise<number | null> {
  const [oldest, ...others] = await sizesOf(folder);
  if (oldest === undefined || others.length === 0) return null;
  await removeFile(folder, oldest.number);
  return oldest.bytes;
}

async function compress(folder: LogFolder, number: number, requireWriter: () => Promise<void>): Promise<void> {
  const [plain, compressed] = [filePath(folder, number), compressedPath(folder, number)];
  if (!(await isThere(plain))) return;
  if (!(await isThere(compressed))) {
    const attempt = `${compressed}.${randomUUID()}${PARTIAL}`;
    try {
      await compressFile(plain, attempt);
      await requireWriter();
      await rename(attempt, compressed);
    } catch (error) {
      await rm(attempt, { force: true });
      throw error;
    }
  }
  await requireWriter();
  await rm(plain, { force: true });
}

async function removeBeginnings(folder: LogFolder): Promise<void> {
  for (const name of await namesIn(folder.path)) {
    const [, of] = PARTIAL_NAME.exec(name) ?? [];
    if (of !== undefined && fileNumber(folder, of) !== null) await rm(join(folder.path, name), { force: true });
  }
}

async function keepWithin(folder: LogFolder, quotaBytes: number): Promise<void> {
  let kept = 0;
  for (const [index, { number, bytes }] of (await sizesOf(folder)).toReversed().entries()) {
    kept += bytes;
    if (index > 0 && kept > quotaBytes) await removeFile(folder, number);
  }
}

/** The files of a log with what they take on the disk, the oldest first. */
async function sizesOf(folder: LogFolder): Promise<readonly { readonly number: number; readonly bytes: number }[]> {
  const sizes = (await fileNumbers(folder)).map(async (number) => ({
    number,
    bytes: (await sizeOf(filePath(folder, number))) + (await sizeOf(compressedPath(folder, number))),
  }));
  return await Promise.all(sizes);
}

async function removeFile(folder: LogFolder, number: number): Promise<void> {
  await rm(filePath(folder, number), { force: true });
  await rm(compressedPath(folder, number), { force: true });
}

async function isThere(path: string): Promise<boolean> {
  return (await statIfThere(path)) !== null;
}

async function sizeOf(path: string): Promise<number> {
  return (await statIfThere(path))?.size ?? 0;
}

async function statIfThere(path: string) {
  return await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}
