import { CATALOG_SOURCE } from './catalog-source.ts';
import { readYaml } from './read-yaml.ts';

/** By what an entry of a section is known. */
const NAME_OF = { config: 'key', dependencies: 'service', routes: 'path' } as const;

/** One entry of a section of a catalog. */
export interface EntryPlace {
  readonly section: keyof typeof NAME_OF;
  readonly name: string;
  /** Where the section may have several of the name; else the last one of it counts. */
  readonly index?: number;
}

/**
 * Says where the entries of a catalog file stand, as a prefix of a message: `catalog-info.yaml:12:5: `; empty for one that is
 * not there. @param text of a file that was read before @throws as `readYaml`
 */
export function entryLocator(text: string): (place: EntryPlace) => string {
  const { value, locate } = readYaml(text, CATALOG_SOURCE);
  return ({ section, name, index }) => {
    const entries = valueAt(valueAt(value, 'spec'), section);
    if (!Array.isArray(entries)) return '';
    const at = index ?? entries.findLastIndex((entry: unknown) => valueAt(entry, NAME_OF[section]) === name);
    if (at < 0) return '';
    const { line, column } = locate(['spec', section, at]);
    return `${CATALOG_SOURCE.fileName}:${line}:${column}: `;
  };
}

function valueAt(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}
