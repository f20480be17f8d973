/**
 * The value at a path such as `$.checks[0].status` as text: of a string itself, of anything else its JSON.
 * @returns null where the text is no JSON, or has nothing there
 */
export function valueAt(text: string, path: string): string | null {
  let value = parse(text);
  for (const [, name, index] of path.matchAll(/\.([\w-]+)|\[(\d+)\]/g)) {
    if (value === null || typeof value !== 'object') return null;
    const key = name ?? index ?? '';
    // An index is one of a list, and a name is none.
    if (!Object.hasOwn(value, key) || Array.isArray(value) !== (name === undefined)) return null;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
