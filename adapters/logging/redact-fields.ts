import { stdSerializers } from 'pino';
import { REDACTED } from '../../domain/logs/redact.ts';
import { isSensitiveName } from '../../domain/logs/sensitive-names.ts';

type Fields = Record<string, unknown>;

const MAX_DEPTH = 8;

const EXACT_FIELDS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'x-internal-key',
  'x-api-key',
]);

/** Names to remember; a sender of made-up ones must not fill the memory. */
const MAX_NAMES = 1_000;

/**
 * Makes a function that takes secrets out of the fields of a line (spec 2, "Log redaction"): values of sensitive names
 * at any depth, errors and their causes included, and whatever `redactText` finds in texts.
 */
export function createFieldRedactor(redactText: (text: string) => string): (fields: Fields) => Fields {
  const hides = createNameCheck();

  function redactFields(fields: Fields, depth: number): Fields {
    const redacted: Fields = {};
    for (const name of Object.keys(fields)) redacted[name] = hides(name) ? REDACTED : redactValue(fields[name], depth);
    return redacted;
  }

  function redactValue(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return redactText(value);
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    if (depth === 0) return '[deeper]';
    if (Array.isArray(value)) return value.map((item: unknown) => redactValue(item, depth - 1));
    const plain = value instanceof Error ? stdSerializers.err(value) : value;
    return redactFields({ ...plain }, depth - 1);
  }

  return (fields) => redactFields(fields, MAX_DEPTH);
}

/** Judging a name costs more than writing its field, and the same few names come with every line. */
function createNameCheck(): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    const hidden = EXACT_FIELDS.has(name.toLowerCase()) || isSensitiveName(name);
    if (known.size < MAX_NAMES) known.set(name, hidden);
    return hidden;
  };
}
