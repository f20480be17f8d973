import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const DEFAULT_CAP_BYTES = 10 * 1024 * 1024;

/** Appends to a log file; over the cap the file becomes `<path>.1`, so that a log takes twice the cap at most. */
export function createLogFile(path: string, capBytes = DEFAULT_CAP_BYTES): { write(chunk: Buffer | string): void } {
  mkdirSync(dirname(path), { recursive: true });
  let size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    write: (chunk) => {
      if (size > capBytes) {
        renameSync(path, `${path}.1`);
        size = 0;
      }
      // Written at once: what a child said last must be there when the supervisor dies with it.
      appendFileSync(path, chunk, { mode: 0o600 });
      size += Buffer.byteLength(chunk);
    },
  };
}
