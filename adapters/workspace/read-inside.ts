import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { FairleadError } from '../../domain/errors.ts';
import { resolveInside } from './safe-path.ts';

/**
 * Text of a file inside `root`; null when there is none.
 * @throws SOURCE_REFUSED when it is outside, larger than `limitBytes`, or no file (a directory, a pipe, a device).
 */
export async function readInside(root: string, path: string, limitBytes: number): Promise<string | null> {
  const found = await resolveInside(root, path);
  return found === null ? null : await readLimited(found, path, limitBytes);
}

async function readLimited(file: string, shown: string, limitBytes: number): Promise<string> {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer that never comes.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw new FairleadError('SOURCE_REFUSED', `${shown} in the source is not a file; make it one`);
    if (facts.size > limitBytes) {
      throw new FairleadError(
        'SOURCE_REFUSED',
        `${shown} in the source is larger than ${limitBytes} bytes; shorten it`,
      );
    }
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
