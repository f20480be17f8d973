import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freeBytes } from '../../adapters/free-bytes.ts';
import { FairleadError } from '../../domain/errors.ts';
import { tryLock } from './tools/folder-lock.ts';

const SMALLEST_FREE_BYTES = 2 * 1024 ** 3;

/**
 * Makes the data folder and checks that it can be used.
 * @throws FairleadError UNAVAILABLE when it cannot be written, DISK_FULL below 2 GiB of free space
 */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(join(folder, 'logs'));
    await writeFile(join(folder, '.gitignore'), '*\n');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const remedy = 'make it writable, or choose another with FAIRLEAD_DATA_DIR=<folder>';
    throw new FairleadError('UNAVAILABLE', `the data folder ${folder} is not writable (${reason}): ${remedy}`, {
      cause,
    });
  }
  await requireFreeDisk(folder);
}

/** One level at a time: a recursive `mkdir` never returns where the kernel refuses new folders with ENOENT, as in /proc. */
async function makeFolder(path: string): Promise<void> {
  if (existsSync(path)) return;
  await makeFolder(dirname(path));
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Another start may have made it in the meantime.
    if (!existsSync(path)) throw error;
  }
}

/** Makes a folder, and closes it to other users, also one that a version before left open. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}

/** @throws FairleadError DISK_FULL when fewer than 2 GiB are free there */
export async function requireFreeDisk(folder: string, smallest = SMALLEST_FREE_BYTES): Promise<void> {
  const free = await freeBytes(folder);
  if (free >= smallest) return;
  const gib = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
  throw new FairleadError(
    'DISK_FULL',
    `the disk of ${folder} has ${gib(free)} free, ${gib(smallest)} are needed: free some space or set FAIRLEAD_DATA_DIR`,
  );
}

/** Keeps a second start off one data folder. @throws FairleadError CONFLICT naming the process that has it */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  const lock = await tryLock(join(folder, 'stack.lock'));
  if ('release' in lock) return lock.release;
  throw new FairleadError(
    'CONFLICT',
    `a stack already runs on ${folder} (process ${lock.heldBy}): stop it first, or choose another FAIRLEAD_DATA_DIR`,
  );
}

/** Replaces a JSON file in one step, readable by its owner alone. What it held or will hold outlasts a power cut. */
export async function writePrivateJson(path: string, value: unknown): Promise<void> {
  await writePrivateFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Writes a file that nobody else reads: all of it is there, or what was there before. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const partial = `${path}.${process.pid}.${randomBytes(3).toString('hex')}.partial`;
  await writeFile(partial, text, { mode: 0o600, flush: true });
  await rename(partial, path);
}
