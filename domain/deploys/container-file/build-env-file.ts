/** The build-time env file: its text, and the names in it, which alone may be logged. */
export interface BuildEnvFile {
  readonly text: string;
  readonly names: readonly string[];
}

/**
 * Writes `.env.production` (spec 2, step 5) in the notation that dotenv and its variable expansion read back exactly as
 * it was given. Keys without a value are left out; null when nothing is left to write.
 */
export function buildEnvFile(values: Readonly<Record<string, string | null | undefined>>): BuildEnvFile | null {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  if (entries.length === 0) return null;
  return {
    text: entries.map(([name, value]) => `${name}=${quote(value)}\n`).join(''),
    names: entries.map(([name]) => name),
  };
}

/**
 * dotenv takes no escapes inside quotes except \n and \r inside double ones, so a value is put between quotes it does
 * not contain. A `$` is escaped, because Next.js and others replace variables in every kind of quotes.
 */
function quote(value: string): string {
  const escaped = value.replaceAll('$', '\\$');
  if (/^[\w./:@%+,-]*$/.test(value)) return value;
  if (!escaped.includes("'")) return `'${escaped}'`;
  if (!escaped.includes('"') && !/\\[nr]/.test(escaped)) return `"${escaped}"`;
  if (!escaped.includes('`')) return `\`${escaped}\``;
  return `"${escaped.replaceAll('\r', '\\r').replaceAll('\n', '\\n').replaceAll('"', '\\"')}"`;
}
