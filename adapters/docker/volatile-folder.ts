import { statfs } from 'node:fs/promises';

const TMPFS = 0x01021994;
/** For root alone to write to. The second is the kernel's own on every machine. */
const FOLDERS = ['/run', '/dev'];

/** A folder that is in memory, so that a restart of the machine empties it; null where none is. */
export async function volatileFolder(folders: readonly string[] = FOLDERS): Promise<string | null> {
  for (const folder of folders) {
    const isInMemory = await statfs(folder).then(
      ({ type }) => type === TMPFS,
      () => false,
    );
    if (isInMemory) return folder;
  }
  return null;
}
