import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { isSecretVariable } from '../../domain/catalog/variables-file.ts';
import { isReservedVariable, VARIABLE_NAME } from '../../domain/config/variable-names.ts';
import { usageFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { type ChangeOptions, change } from './config.ts';

/**
 * `fairlead config import <file>`: stores the variables of a file in the notation of dotenv, such as another platform shows
 * its own in. What looks like a secret is stored as one, and what the platform provides itself is left out.
 */
export async function importConfig(
  context: CliContext,
  file: string,
  options: ChangeOptions & { readonly secret: readonly string[] },
): Promise<number> {
  const { output } = context;
  const all = Object.entries(readVariables(context.cwd, file)).sort(([a], [b]) => (a < b ? -1 : 1));
  const isLeftOut = (name: string): boolean => !VARIABLE_NAME.test(name) || isReservedVariable(name);
  const taken = all.filter(([name]) => !isLeftOut(name));
  const unknown = options.secret.filter((name) => !taken.some(([one]) => one === name));
  if (unknown.length > 0) throw usageFailure(`${file} has no variable ${unknown.join(', ')}.`);
  if (taken.length === 0) throw usageFailure(`${file} has no variable to store.`, 'Its lines are KEY=VALUE.');
  const isSecret = ([name, value]: readonly [string, string]): boolean =>
    value !== '' && (options.secret.includes(name) || isSecretVariable(name, value));
  const secrets = taken.filter(isSecret);
  const set = taken.filter((one) => !isSecret(one));
  const code = await change(context, options, { set: Object.fromEntries(set), secrets: Object.fromEntries(secrets) });
  const namesOf = (rows: readonly (readonly [string, string])[]): string => rows.map(([name]) => name).join(', ');
  if (secrets.length > 0) output.note(`Encrypted, by their names or values: ${namesOf(secrets)}`);
  if (set.length > 0) output.note(`In clear: ${namesOf(set)}. To encrypt one: add --secret and its name`);
  const leftOut = all.filter(([name]) => isLeftOut(name));
  if (leftOut.length > 0)
    output.note(`Left out, as the platform provides them itself or takes no such name: ${namesOf(leftOut)}`);
  return code;
}

/** UTF-8, with a mark of it in front or without: of another encoding the values would be others. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** @throws CliFailure with exit `usage`; no text of the file is repeated */
function readVariables(folder: string, file: string): Record<string, string> {
  try {
    return z.record(z.string(), z.string()).parse(parseEnv(UTF_8.decode(readFileSync(resolve(folder, file)))));
  } catch (error) {
    throw usageFailure(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
