import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { usageFailure } from './cli-failure.ts';

/** Writes a reply into a file, whose path starts at `cwd`, laid out for people, in the place of what was there. @throws CliFailure with exit `usage` */
export async function writeDocument(path: string, cwd: string, document: unknown): Promise<void> {
  try {
    await writeFile(resolve(cwd, path), `${JSON.stringify(document, null, 2)}\n`);
  } catch (error) {
    throw usageFailure(`${path} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}
