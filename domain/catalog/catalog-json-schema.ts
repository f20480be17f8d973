import { z } from 'zod';
import { CATALOG_SECTIONS, type CatalogSection } from './catalog.ts';
import { catalogSchema } from './schema.ts';

/** Of sections that are known and belong to steps of a deploy that are yet to come. */
const OPEN_SECTION = 'Accepted; this version does not act on it';

/** Sections with a shape of their own in the schema. */
const ACTED_ON: readonly CatalogSection[] = ['auth', 'seo', 'tests', 'walkthrough'];

/** A JSON Schema as far as it is walked here. */
interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly [keyword: string]: unknown;
}

/**
 * The JSON Schema of `catalog-info.yaml`, for editors. Made of the schema that a deploy checks the file with; where a value
 * is checked by more than its type and pattern, the deploy is stricter.
 */
export function catalogJsonSchema(): Record<string, unknown> {
  const document = z.toJSONSchema(catalogSchema, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
  const { $schema, properties, ...rest } = document;
  const open = CATALOG_SECTIONS.filter((section) => !ACTED_ON.includes(section)).map((section) => [
    section,
    { description: OPEN_SECTION },
  ]);
  const spec = withProperties(properties?.spec ?? {}, Object.fromEntries(open));
  return {
    $schema,
    title: 'catalog-info.yaml',
    description: 'What a service of Fairlead is, needs and offers',
    ...rest,
    properties: { ...properties, spec },
  };
}

/** Adds properties to a mapping, also to one that may be left out. */
function withProperties(node: SchemaNode, added: Readonly<Record<string, SchemaNode>>): SchemaNode {
  if (node.properties !== undefined) return { ...node, properties: { ...added, ...node.properties } };
  const { anyOf } = node;
  if (!Array.isArray(anyOf)) return node;
  return { ...node, anyOf: anyOf.map((one: SchemaNode) => withProperties(one, added)) };
}

/** A field of the catalog file; of a list, as `spec.routes[].path`. */
export interface CatalogField {
  readonly path: string;
  readonly description: string;
}

/** Every field with its description, parents before children. */
export function catalogFields(node: SchemaNode = catalogJsonSchema(), path = ''): readonly CatalogField[] {
  const { properties, items, anyOf, description } = node as SchemaNode & { items?: SchemaNode; anyOf?: SchemaNode[] };
  const own = path !== '' && typeof description === 'string' ? [{ path, description }] : [];
  const below = Object.entries(properties ?? {}).flatMap(([name, child]) =>
    catalogFields(child, path === '' ? name : path.endsWith('annotations') ? name : `${path}.${name}`),
  );
  const inItems = items === undefined ? [] : catalogFields(items, `${path}[]`);
  const inChoices = (anyOf ?? []).flatMap((choice) => catalogFields(choice, path));
  return [...own, ...below, ...inItems, ...inChoices];
}
