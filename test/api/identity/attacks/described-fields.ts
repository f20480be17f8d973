import type { Answer } from '../../../support/start-idp.ts';

/** A JSON Schema as the OpenAPI document has them, as far as these tests look. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
}

export interface Operation {
  readonly method: string;
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly credential: 'none' | 'internalKey' | 'session';
  readonly replies: 'page' | 'oauth' | 'envelope';
  /** Names of its query parameters. */
  readonly query: readonly string[];
  readonly takes: { readonly json: boolean; readonly form: boolean };
  readonly body: Schema;
}

/** Every operation that the provider describes of itself. */
export function operationsOf(document: Answer['body']): Operation[] {
  return Object.entries<Record<string, Answer['body']>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, row]) => {
      const content = row.requestBody?.content ?? {};
      const errors = row.responses['400'].content;
      const isOAuth = errors['application/json']?.schema.$ref.endsWith('/OAuthError');
      return {
        method: method.toUpperCase(),
        path,
        credential: credentialOf(row.security),
        replies: 'text/html' in errors ? 'page' : isOAuth ? 'oauth' : 'envelope',
        query: row.parameters
          .filter((one: { in: string }) => one.in === 'query')
          .map((one: { name: string }) => one.name),
        takes: { json: 'application/json' in content, form: 'application/x-www-form-urlencoded' in content },
        body: (Object.values(content)[0] as { schema: Schema } | undefined)?.schema ?? {},
      };
    }),
  );
}

/** The strongest that the route takes: people's routes take the session of a person where they take their token. */
function credentialOf(security: readonly object[]): Operation['credential'] {
  if (security.length === 0) return 'none';
  return security.some((one) => 'internalKey' in one) ? 'internalKey' : 'session';
}

/** A place in a body, such as `['passportConfig', 'headless']`; `0` is an element of a list. */
export type FieldPath = readonly (string | 0)[];

/** Every field of a body, those within objects and lists included. */
export function fieldsOf(schema: Schema, path: FieldPath = []): { path: FieldPath; schema: Schema }[] {
  const below = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => fieldsOf(one, [...path, name])),
    ...(saysSomething(schema.additionalProperties) ? fieldsOf(schema.additionalProperties, [...path, 'any']) : []),
    ...(schema.items === undefined ? [] : fieldsOf(schema.items, [...path, 0])),
    ...(schema.anyOf ?? []).flatMap((one) => fieldsOf(one, path).slice(1)),
  ];
  return path.length === 0 ? below : [{ path, schema }, ...below];
}

/** False for what an open object leaves alone. */
export function saysSomething(schema: Schema | boolean | undefined): schema is Schema {
  return typeof schema === 'object' && ['type', 'anyOf', 'enum', 'const'].some((key) => key in schema);
}

/** Whether a value of this JSON type may stand there at all. A schema that says nothing takes nothing. */
export function takesType(schema: Schema, value: unknown): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => takesType(one, value));
  const allowed = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (allowed !== undefined) return allowed.includes(value);
  return (
    [schema.type ?? []].flat().includes(typeOf(value)) || (schema.type === 'number' && typeOf(value) === 'integer')
  );
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** Some body of that shape; `at` puts a value in one place of it, and makes the way there. */
export function sampleOf(schema: Schema, at?: { path: FieldPath; value: unknown }): unknown {
  if (at?.path.length === 0) return at.value;
  if (schema.anyOf !== undefined) {
    const fits = schema.anyOf.find(
      (one) => at !== undefined && fieldsOf(one).some(({ path }) => path[0] === at.path[0]),
    );
    const [first] = schema.anyOf;
    return fits === undefined && first === undefined ? 'x' : sampleOf(fits ?? first ?? {}, at);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const next = at === undefined ? undefined : { path: at.path.slice(1), value: at.value };
  switch ([schema.type].flat()[0]) {
    case 'object':
      return sampleObject(schema, at?.path[0], next);
    case 'array':
      return next === undefined ? [] : [sampleOf(schema.items ?? {}, next)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    default:
      return 'sample';
  }
}

function sampleObject(
  { properties = {}, required = [], additionalProperties }: Schema,
  name: string | 0 | undefined,
  next: { path: FieldPath; value: unknown } | undefined,
): Record<string, unknown> {
  const sample = Object.fromEntries(
    required.map((one) => [one, one === 'email' ? 'sample@example.com' : sampleOf(properties[one] ?? {})]),
  );
  if (name === undefined || name === 0) return sample;
  const open = typeof additionalProperties === 'object' ? additionalProperties : {};
  return { ...sample, [name]: sampleOf(properties[name] ?? open, next) };
}
