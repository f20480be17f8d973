/** A document, and any value in one: text, numbers, booleans, null, dates, lists and objects of these. */
export type Document = Record<string, unknown>;

export const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Equal as the database has it: a missing field is null. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other || (one ?? null) === (other ?? null)) return true;
  if (one instanceof Date) return other instanceof Date && one.getTime() === other.getTime();
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) && one.length === other.length && one.every((item, index) => isEqual(item, other[index]))
    );
  }
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isEqual(one[name], other[name]));
}

/** Below, above or at zero; null for values of different types, which are in no order here. */
export function compare(one: unknown, other: unknown): number | null {
  if (one instanceof Date && other instanceof Date) return one.getTime() - other.getTime();
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one !== 'string' || typeof other !== 'string') return null;
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** What a path leads to: several values where it goes through a list. */
export function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  if (Array.isArray(value)) {
    if (/^\d+$/.test(name)) return valuesAt(value[Number(name)], rest);
    return value.flatMap((item) => valuesAt(item, path));
  }
  return isObject(value) ? valuesAt(value[name], rest) : [undefined];
}

/** The same without what is undefined: the driver leaves it out. */
export function stored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stored);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => (item === undefined ? [] : [[name, stored(item)]])),
  );
}
