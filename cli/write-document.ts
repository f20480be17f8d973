import { writeFile } from 'node:fs/promises';
import { usageFailure } from './cli-failure.ts';

/** Writes a reply into a file, laid out for people, in the place of what was there. @throws CliFailure with exit `usage` */
export async function writeDocument(path: string, document: unknown): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(document, null, 2)}\n`);
  } catch (error) {
    throw usageFailure(`${path} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}
