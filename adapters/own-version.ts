import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** The version in package.json, as health and OpenAPI documents tell it. */
export async function ownVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  return z.looseObject({ version: z.string() }).parse(manifest).version;
}
