import { envFileLine } from '../../config/env-file.ts';

/** The build-time env file: its text, and the values in it by name; the names alone may be logged. */
export interface BuildEnvFile {
  readonly text: string;
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Writes `.env.production` (spec 2, step 5) in the notation that dotenv and its variable expansion read back exactly as
 * it was given. Keys without a value are left out; null when nothing is left to write.
 */
export function buildEnvFile(values: Readonly<Record<string, string | null | undefined>>): BuildEnvFile | null {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  if (entries.length === 0) return null;
  return {
    text: entries.map(([name, value]) => envFileLine(name, value, { expands: true })).join(''),
    names: entries.map(([name]) => name),
    values: Object.fromEntries(entries),
  };
}
