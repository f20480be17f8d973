import { statfs } from 'node:fs/promises';

/** Bytes that are free for this user on the disk of a folder. @throws errors of the file system */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
