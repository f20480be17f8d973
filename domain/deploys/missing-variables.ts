import { isReservedVariable } from '../config/variable-names.ts';
import { type DatabaseEngine, ENGINES, engineOfVariable } from '../databases/engines.ts';

/** Most names that one sentence takes. */
const MOST_NAMES = 12;

const VARIABLE = '\\b([A-Z][A-Z0-9]*_[A-Z0-9_]+|PORT|SECRET|TOKEN)\\b';
const ABSENT = '(?:not (?:set|defined|provided|found|configured|given)|missing|required|undefined|empty|unset)';

/** A line that says that variables are missing, before a list of them. */
const HEADING = `\\b[Ee]nv(?:ironment)?(?: ?var(?:iable)?s?)?\\b[^\\nA-Z]{0,60}${ABSENT}[^\\nA-Z]{0,30}:|\\b[Mm]issing[^\\nA-Z]{0,40}\\benv(?:ironment)?\\b[^\\nA-Z]{0,30}:`;
const ITEM = `[ \\t]{0,8}[-*•][ \\t]{1,8}([A-Z][A-Z0-9_]{1,60})\\b`;

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
    `(?:${HEADING})[ \\t]{0,8}\\n${ITEM}`,
  ].join('|'),
);
const ALL_MISSING = new RegExp(MISSING_VARIABLE, 'g');
const LIST = new RegExp(`(?:${HEADING})[ \\t]{0,8}((?:\\n${ITEM}[^\\n]{0,200}){1,40})`, 'g');
const ITEMS = new RegExp(ITEM, 'g');

/** Names of the variables that an output says are missing, in its order; empty when it names none. */
export function missingVariables(text: string): readonly string[] {
  const names = [...text.matchAll(ALL_MISSING)].flatMap(([, ...groups]) =>
    groups.filter((group) => group !== undefined),
  );
  const listed = [...text.matchAll(LIST)].flatMap(([, list = '']) =>
    [...list.matchAll(ITEMS)].map(([, name = '']) => name),
  );
  return [...new Set([...names, ...listed])].slice(0, MOST_NAMES);
}

/** What is known of the databases of a service; nothing where its catalog is not at hand. */
export interface KnownDatabases {
  readonly declared: readonly DatabaseEngine[];
  /** Those whose variables the workload was given. */
  readonly given: readonly DatabaseEngine[];
}

/** What is done about variables that are not set: who deploys sets them, but those that the platform alone gives. */
export function settingThem(names: readonly string[], known: KnownDatabases | null = null): string {
  const own = names.filter((name) => !isReservedVariable(name));
  const reserved = names.filter(isReservedVariable).map((name) => ofPlatform(name, known));
  return [...new Set([...(own.length === 0 ? [] : [settingOwn(own)]), ...reserved])].join(' ');
}

function settingOwn(names: readonly string[]): string {
  const [name = 'NAME'] = names;
  if (names.length === 1) {
    return `Set it with the next deploy: \`fairlead deploy\` with --secret ${name}, or with --set ${name}=VALUE.`;
  }
  return `Set them with the next deploy: \`fairlead deploy\` with --secret NAME, or with --set NAME=VALUE, for each.`;
}

/** Why the platform gives no such variable, and who mends it. */
function ofPlatform(name: string, known: KnownDatabases | null): string {
  const engine = engineOfVariable(name);
  if (engine === null) {
    return `The name ${name} is kept for the platform: read the value from a variable of another name.`;
  }
  const { title, adminVariable } = ENGINES[engine];
  const declare = `declare the database in catalog-info.yaml (spec.databases: \`- type: ${engine}\`) and deploy again`;
  const configure = `the operator sets ${adminVariable} on the worker; then deploy again`;
  const alone = `The platform alone sets ${name}`;
  if (known === null) {
    return `${alone}: ${declare}. Where it is declared, no ${title} server is configured: ${configure}.`;
  }
  if (known.given.includes(engine)) return `${alone}, and has set it: read it from the environment of the process.`;
  if (!known.declared.includes(engine)) return `${alone}, and the catalog declares no ${title} database: ${declare}.`;
  return `${alone}, and no ${title} server is configured: ${configure}.`;
}
