import type { z } from 'zod';
import { type FileProblem, formatPath, invalidFile, type YamlFile, type YamlSource } from './read-yaml.ts';

/** Checks data against a schema whose messages say what is expected. @throws the source's code with every problem. */
export function checkShape<T extends z.ZodType>(
  schema: T,
  value: unknown,
  file: Pick<YamlFile, 'locate'>,
  source: YamlSource,
): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue): FileProblem => {
    const found = describe(valueAt(value, issue.path), issue.path.at(-1) === 'default');
    return {
      ...file.locate(issue.path),
      path: formatPath(issue.path),
      message: `expected ${issue.message}, found ${found}${hint(issue.message, found)}`,
    };
  });
  throw invalidFile(source, problems);
}

/** For the mistake that YAML takes for text. */
function hint(expected: string, found: string): string {
  if (!expected.startsWith('a mapping')) return '';
  const [, key, rest] = /^"([\w./-]+):([^\s:/][^\s:]*)"$/.exec(found) ?? [];
  return key === undefined ? '' : `; after the colon stands a blank: ${key}: ${rest}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    // Of a list that is written as one text, the whole text.
    if (typeof current === 'string') return current;
    if (typeof current !== 'object' || current === null) return undefined;
    current = Object.getOwnPropertyDescriptor(current, key)?.value;
  }
  return current;
}

/** A default may be the default of a secret, so only its type is shown. */
function describe(value: unknown, hideValue: boolean): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'a mapping';
  if (hideValue) return `a ${typeof value}`;
  // JSON has no infinity.
  if (typeof value === 'number') return String(value);
  const text = visible(JSON.stringify(value) ?? typeof value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** With what nobody sees written out: blanks of no width, other blanks, marks that turn text. */
function visible(text: string): string {
  return text.replace(/(?! )[\p{Cf}\p{Z}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
