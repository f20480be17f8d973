import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { FairleadError } from '../../../domain/errors.ts';
import { writePrivateText } from '../data-folder.ts';

/** Files of lines `NAME=value`, which are read by Docker Compose, by `kubectl create secret --from-env-file` and by this checkout. */

/** Read as it stands by everything, also by kubectl, which knows no quotes. */
const PLAIN = /^[\w+/=.:@%,-]+$/;

/**
 * A variable as a line. What is not plain is in single quotes: Compose puts the values of other variables in the place of `$word` everywhere else.
 * @throws VALIDATION_FAILED naming the variable, for a value that no form gives back
 */
export function envLine(name: string, value: string): string {
  const text = formOf(value);
  if (text !== null && parseEnv(`${name}=${text}\n`)[name] === value) return `${name}=${text}\n`;
  throw new FairleadError(
    'VALIDATION_FAILED',
    `the value of ${name} has quotes, a dollar or a backslash that no line of a file of variables gives back: choose another value`,
  );
}

/** @throws VALIDATION_FAILED as `envLine` */
export function envLines(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => envLine(name, value))
    .join('');
}

/** Compose takes a backslash before a quote for a part of the value; within double quotes it reads `$` and `\` otherwise than we do. */
function formOf(value: string): string | null {
  if (value === '' || PLAIN.test(value)) return value;
  if (!value.includes("'") && !value.endsWith('\\')) return `'${value}'`;
  return /["$\\]/.test(value) ? null : `"${value}"`;
}

/** Puts the line of a variable into a file, in the place of the one that it has; nobody but its owner reads it from then on. */
export async function replaceEnvLine(path: string, name: string, value: string): Promise<void> {
  const before = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const own = new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`);
  const others = before.split('\n').filter((line) => !own.test(line));
  if (others.at(-1) === '') others.pop();
  await writePrivateText(path, [...others.map((line) => `${line}\n`), envLine(name, value)].join(''));
}
