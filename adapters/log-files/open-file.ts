import { type FileHandle, open } from 'node:fs/promises';
import { openCompressed } from './gzip-blocks.ts';
import { compressedPath, filePath, isMissing, type LogFolder } from './log-folder.ts';

/** A file of a log, open for reading: the same whether it was compressed meanwhile or not. */
export interface LogFile {
  /** Of its text, when it was opened. */
  readonly bytes: number;
  /** Bytes of the text; fewer at its end. */
  read(from: number, length: number): Promise<Buffer>;
}

/** Reads a file of a log; null when it is not kept, or is none of ours. @throws errors of the file system */
export async function withLogFile<T>(
  folder: LogFolder,
  number: number,
  read: (file: LogFile) => Promise<T>,
): Promise<T | null> {
  const plain = await openIfThere(filePath(folder, number));
  // The compressed one is there before the plain one goes.
  const handle = plain ?? (await openIfThere(compressedPath(folder, number)));
  if (handle === null) return null;
  try {
    const file = plain === null ? await openCompressed(handle) : await plainFile(handle);
    return file === null ? null : await read(file);
  } finally {
    await handle.close();
  }
}

/** A file that was not compressed. */
export async function plainFile(handle: FileHandle): Promise<LogFile> {
  const { size } = await handle.stat();
  return {
    bytes: size,
    async read(from, length) {
      if (length <= 0) return Buffer.alloc(0);
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, from);
      return buffer.subarray(0, bytesRead);
    },
  };
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
