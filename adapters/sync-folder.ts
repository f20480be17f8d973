import { open } from 'node:fs/promises';

/** Makes what was renamed into a folder, or removed from it, outlast a power cut. @throws errors of the file system */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
