import { createReadStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { usageFailure } from './cli-failure.ts';
import { isInside } from './is-inside.ts';

/** More than a service may have of values. */
const MOST_BYTES = 1024 * 1024;

/**
 * The lines of a file in the notation of dotenv, by name. The file may be a stranger's, such as that of a cloned repository: one that is a
 * link out of the folder of the command is not read, for it may lead to a file of yours.
 * @throws CliFailure with exit `usage`; no text of the file is repeated
 */
export async function readVariables(folder: string, file: string): Promise<Readonly<Record<string, string>>> {
  const path = resolve(folder, file);
  try {
    if (await leadsOut(folder, path))
      throw new Error('it is a link out of this folder: name the file that it leads to');
    return z.record(z.string(), z.string()).parse(parseEnv(await readText(path)));
  } catch (error) {
    throw usageFailure(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** Whether a path lies in a folder, and its file elsewhere. */
async function leadsOut(folder: string, path: string): Promise<boolean> {
  if (!isInside(folder, path)) return false;
  const root = await realpath(folder);
  return !isInside(root, await realpath(join(root, relative(folder, path))));
}

/** UTF-8, with a mark of it in front or without: of another encoding the values would be others. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** It may be a pipe, or have no end. */
async function readText(path: string): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of createReadStream(path, { end: MOST_BYTES }) as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
  }
  if (bytes > MOST_BYTES) throw new Error('it is larger than 1 MiB');
  return UTF_8.decode(Buffer.concat(parts));
}
