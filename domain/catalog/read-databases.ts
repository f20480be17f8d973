import type { CatalogEngine } from './catalog.ts';

/**
 * The databases that a catalog declares, each once. A database has a type, and nothing else is decided about it: what the
 * file says beside it, and a type that it names again, is a warning.
 *
 * @param entries as the schema took them
 * @param spec as the file has it, with keys that the schema leaves out
 */
export function readDatabases(
  entries: readonly { readonly type: CatalogEngine }[],
  spec: object,
  warnings: string[],
): readonly CatalogEngine[] {
  const given: unknown = Object.getOwnPropertyDescriptor(spec, 'databases')?.value;
  for (const [index, entry] of (Array.isArray(given) ? given : []).entries()) {
    for (const key of Object.keys(entry).filter((name) => name !== 'type')) {
      const why = key === 'name' ? ': a database is called <service>_<environment>' : ', as it is not known';
      warnings.push(`spec.databases[${index}].${key} is ignored${why}`);
    }
  }
  const types = entries.map(({ type }) => type);
  for (const type of new Set(types.filter((one, index) => types.indexOf(one) !== index))) {
    warnings.push(`spec.databases names ${type} more than once: a service has one database of a type`);
  }
  return [...new Set(types)];
}
