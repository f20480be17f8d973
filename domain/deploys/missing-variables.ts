/** Most names that one sentence takes. */
const MOST_NAMES = 12;

const VARIABLE = '\\b([A-Z][A-Z0-9]*_[A-Z0-9_]+|PORT|SECRET|TOKEN)\\b';
const ABSENT = '(?:not (?:set|defined|provided|found|configured|given)|missing|required|undefined|empty|unset)';

/** How programs, and the libraries that check their settings (dotenv-safe, envalid, joi, zod, ajv), name one that is missing. */
export const MISSING_VARIABLE = new RegExp(
  [
    `[Ee]nvironment variable not found: ${VARIABLE}`,
    `process\\.env\\.${VARIABLE}[^\\n]{0,40}${ABSENT}`,
    `(?<!ReferenceError: )${VARIABLE}["'\`]?:? (?:environment variable |env(?:ironment)? var(?:iable)? )?(?:is |was |must be |are )?${ABSENT}`,
    `(?:[Mm]issing|[Rr]equired|[Uu]ndefined|[Uu]nset|[Pp]rovide|[Ss]et|[Nn]o)\\b[^\\n]{0,40}\\b[Ee]nv(?:ironment)?\\b[^\\nA-Z]{0,30}${VARIABLE}`,
    `[Mm]issing[^\\nA-Z]{0,30}${VARIABLE}`,
    `${VARIABLE}["']?: \\[?\\s*["']?(?:[Rr]equired|undefined|Invalid input: expected \\w+, received undefined)`,
    `must have required property '([A-Z][A-Z0-9_]{1,60})'`,
    `path["']?: \\[\\s*["']([A-Z][A-Z0-9_]{1,60})["']\\s*\\]`,
    `→ at ${VARIABLE}`,
  ].join('|'),
);
const ALL_MISSING = new RegExp(MISSING_VARIABLE, 'g');

/** Names of the variables that an output says are missing, in its order; empty when it names none. */
export function missingVariables(text: string): readonly string[] {
  const names = [...text.matchAll(ALL_MISSING)].flatMap(([, ...groups]) =>
    groups.filter((group) => group !== undefined),
  );
  return [...new Set(names)].slice(0, MOST_NAMES);
}

/** How the author of a service sets them, in one sentence. */
export function settingThem(names: readonly string[]): string {
  const [name = 'NAME'] = names;
  if (names.length === 1) {
    return `Set it with the next deploy: \`fairlead deploy\` with --secret ${name}, or with --set ${name}=VALUE.`;
  }
  return `Set them with the next deploy: \`fairlead deploy\` with --secret NAME, or with --set NAME=VALUE, for each.`;
}
