import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** `<part>.log`, and `<part>.log.1` of a rotation. */
const FORMER_NAME = /^[a-z0-9-]+\.log(?:\.\d+)?$/;

/**
 * Removes the logs as earlier versions kept them, in files beside the folders of today: nothing shows them, and keys were
 * not taken out of them. To do it twice changes nothing. @throws errors of the file system
 */
export async function removeFormerLogs(logFolder: string): Promise<void> {
  for (const entry of await readdir(logFolder, { withFileTypes: true })) {
    if (entry.isFile() && FORMER_NAME.test(entry.name)) await rm(join(logFolder, entry.name), { force: true });
  }
}
