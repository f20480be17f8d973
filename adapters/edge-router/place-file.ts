import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '../sync-folder.ts';

/** Of what is being written; a reader passes over it, and a killed writer leaves it. */
export const TEMPORARY_SUFFIX = '.tmp';

/** Milliseconds: to write a file takes no minute. */
const LEFT_AFTER_MS = 600_000;

/** Who may read a file, and list its folder where that is made. */
interface FileModes {
  readonly file: number;
  readonly folder: number;
}

const OWN: FileModes = { file: 0o600, folder: 0o700 };
/** Of what is no secret, and what a process of another user reads. */
export const READ_BY_ALL: FileModes = { file: 0o644, folder: 0o755 };

/**
 * Writes a file, durably, and renames it into place: a reader sees the one before or this one, whole. Of two writers at once,
 * the last one's stays. Only this user reads it, unless `modes` say otherwise.
 */
export async function placeFile(path: string, text: string, modes = OWN): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: modes.folder });
  const temporary = join(folder, `${randomUUID()}${TEMPORARY_SUFFIX}`);
  try {
    const file = await open(temporary, 'wx', modes.file);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncIfThere(folder);
}

/** Removes a file durably; one that is not there is fine. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await syncIfThere(dirname(path));
}

/** One that is gone has nothing to keep. */
async function syncIfThere(folder: string): Promise<void> {
  await syncFolder(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

/** Removes what killed writers left in a folder: what is being written is younger. Files that are gone meanwhile are fine. */
export async function removeLeftFiles(folder: string, olderThanMs = LEFT_AFTER_MS): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names.filter((one) => one.endsWith(TEMPORARY_SUFFIX))) {
    const path = join(folder, name);
    const written = await stat(path).catch(() => null);
    if (written !== null && Date.now() - written.mtimeMs >= olderThanMs) await rm(path, { force: true });
  }
}
