/**
 * What `changes` sets of the listed fields, for `$set`: no other field reaches the database, whatever object a caller
 * passed. The list is an object, so that the compiler misses a field that was forgotten in it.
 */
export function pickChanges<K extends string>(
  changes: Partial<Readonly<Record<K, unknown>>>,
  fields: Readonly<Record<K, true>>,
): Record<string, unknown> {
  const names = Object.keys(fields) as K[];
  const set = names.filter((name) => Object.hasOwn(changes, name) && changes[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, changes[name]]));
}

/** The listed parts of an object that are given, for `$set`: the others stay as they are. */
export function pickParts<K extends string>(
  field: string,
  changes: Partial<Readonly<Record<K, unknown>>> = {},
  parts: Readonly<Record<K, true>>,
): Record<string, unknown> {
  const set = Object.entries(pickChanges(changes, parts));
  return Object.fromEntries(set.map(([part, value]) => [`${field}.${part}`, value]));
}
