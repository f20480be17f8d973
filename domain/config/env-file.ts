/** How the reader of a file treats `$NAME` in a value: replaces it (Next.js, Vite and others), or not (Node, dotenv). */
export interface EnvFileReader {
  readonly expands: boolean;
}

/** A line of a file such as `.env.production`, which dotenv and Node's `--env-file` read back exactly as it was given. */
export function envFileLine(name: string, value: string, { expands }: EnvFileReader): string {
  return `${name}=${quote(value, expands)}\n`;
}

/**
 * dotenv takes no escapes inside quotes except \n and \r inside double ones, so a value is put between quotes it does
 * not contain, and one that ends with a backslash between none where that can be. Where variables are replaced, it is so in every kind of quotes: then a `$` is escaped.
 */
function quote(value: string, expands: boolean): string {
  if (/^[\w./:@%+,-]*$/.test(value)) return value;
  const escaped = expands ? value.replaceAll('$', '\\$') : value;
  // dotenv may take a quote after a backslash for one that is escaped, and read on to another one further below.
  if (/^[^\s'"`#][^\r\n#]*\\$/.test(escaped)) return escaped;
  if (!escaped.includes("'")) return `'${escaped}'`;
  if (!escaped.includes('"') && !/\\[nr]/.test(escaped)) return `"${escaped}"`;
  if (!escaped.includes('`')) return `\`${escaped}\``;
  return `"${escaped.replaceAll('\r', '\\r').replaceAll('\n', '\\n').replaceAll('"', '\\"')}"`;
}
