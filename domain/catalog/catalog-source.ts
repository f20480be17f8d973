import type { YamlSource } from './read-yaml.ts';

/** What messages about a catalog file call it, and with which code it is refused. */
export const CATALOG_SOURCE = { fileName: 'catalog-info.yaml', code: 'CATALOG_INVALID' } as const satisfies YamlSource;
