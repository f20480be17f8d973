import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a file or a whole directory, read-only directories inside it too. No error when it is not there. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    await unlock(path);
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  }
}

/** Gives us back the right to list and change every directory. Links are not followed: `withFileTypes` names them as such. */
async function unlock(directory: string): Promise<void> {
  await chmod(directory, 0o700);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await unlock(join(directory, entry.name));
  }
}
