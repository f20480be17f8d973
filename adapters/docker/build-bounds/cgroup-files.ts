import { readdirSync, readFileSync } from 'node:fs';
import { access, mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Files and folders by which the kernel shows control groups. They are read synchronously: they lie in memory, and are read a
 * thousand times a second while there are builds, so that a thread of the pool would cost several times what the answer does.
 */

/** What a file says; nothing when it is gone. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Ids of the processes of a group. */
export function idsIn(folder: string): number[] {
  return textOf(join(folder, 'cgroup.procs'))
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
}

/** And of those below it. */
export function processesIn(folder: string): number[] {
  return [...idsIn(folder), ...foldersIn(folder).flatMap((name) => processesIn(join(folder, name)))];
}

/** Names of the groups in a group; none when it is gone. */
export function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Idempotent. @returns false when there is no folder for it */
export async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code !== 'EEXIST') throw error;
  }
  return true;
}

/** @returns false when a group is left, because it has processes */
export async function removeTree(folder: string): Promise<boolean> {
  for (const name of foldersIn(folder)) await removeTree(join(folder, name));
  return await removeFolder(folder);
}

export async function removeFolder(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EBUSY' || code === 'ENOTEMPTY') return false;
    if (code === 'ENOENT') return true;
    throw error;
  }
}

/** Kernels count at the group of the process, at that of the limit, or at both: what counts here is whether it grows. */
export function sumBelow(folder: string, file: string, name: string): number {
  const own = Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(textOf(join(folder, file)))?.[1] ?? 0);
  return foldersIn(folder).reduce((sum, each) => sum + sumBelow(join(folder, each), file, name), own);
}

/** A process or a group that has ended meanwhile. */
export function ignoreGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ESRCH' && error.code !== 'ENOENT' && error.code !== 'ENODEV') throw error;
}

const TRIES = 5;

/** Repeats what makes a group, when somebody else removed one that was empty between two of its acts. */
export async function unlessRemoved(make: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await make();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== 'ENOENT' && code !== 'ENODEV') || tries === TRIES) throw error;
    }
  }
}

/** @returns false where there is no such file: the kernel does not know it, or the group is gone */
export async function setExisting(file: string, value: string): Promise<boolean> {
  try {
    await writeFile(file, value, { flag: 'r+' });
    return true;
  } catch (error) {
    ignoreGone(error as NodeJS.ErrnoException);
    return false;
  }
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
