import { z } from 'zod';
import { VARIABLE_NAME } from '../config/variable-names.ts';
import { NO_PASSPORT } from '../passport-config.ts';
import { AUTH_MODES, STORAGE_TIERS } from './catalog.ts';
import { isInsidePath } from './source-path.ts';

/** The catalog file's shape (spec 2, "Catalog file"). Each message completes the sentence "expected …, found …". */

const scalar = z
  .union([z.string(), z.number(), z.boolean()], { error: 'text, a number, true or false' })
  .transform((value) => String(value));

const listOf = <T extends z.ZodType>(item: T, what: string) =>
  z
    .array(item, { error: `a list of ${what}` })
    .nullish()
    .transform((items) => items ?? []);

const entry = <T extends z.ZodRawShape>(shape: T, what: string) => z.object(shape, { error: `a mapping ${what}` });

const text = (what: string) => z.string({ error: what }).min(1, { error: what });
const flag = z
  .boolean({ error: 'true or false' })
  .nullish()
  .transform((value) => value ?? false);
const SERVICE_NAME = 'a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit';
const ENV_NAME = 'a variable name: letters, digits and underscores, not beginning with a digit';
const serviceName = z
  .string({ error: SERVICE_NAME })
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, { error: SERVICE_NAME });
const variableName = z.string({ error: ENV_NAME }).regex(VARIABLE_NAME, { error: ENV_NAME });
const ROUTE_PATH = 'a path that begins with / (parameters as {name} or :name)';
const METHOD = 'an HTTP method such as GET, or ANY';
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|ANY|\*)$/;
const GAS = 'a whole number of tokens, 0 or more';

const route = entry(
  {
    path: z.string({ error: ROUTE_PATH }).regex(/^\/[^\s?#]*$/, { error: ROUTE_PATH }),
    methods: listOf(
      z
        .string({ error: METHOD })
        .transform((value) => value.toUpperCase())
        .pipe(z.string().regex(METHODS, { error: METHOD })),
      'HTTP methods',
    ),
    auth: z
      .union([z.string(), z.boolean()], { error: 'the name of an auth mode' })
      .nullish()
      .transform((value) => (value === null || value === undefined ? null : String(value))),
    gas: z
      .int({ error: GAS })
      .min(0, { error: GAS })
      .nullish()
      .transform((value) => value ?? 0),
    charge: z
      .enum(['service', 'callerOrg', 'system'], { error: 'one of service, callerOrg, system' })
      .nullish()
      .transform((value) => value ?? ('service' as const)),
    stripPrefix: z
      .string({ error: 'a path that begins with /' })
      .startsWith('/', { error: 'a path that begins with /' })
      .nullish()
      .transform((value) => value ?? null),
  },
  '{ path, methods, auth, gas, charge, stripPrefix }',
);

const configEntry = entry(
  {
    key: variableName,
    secret: flag,
    required: flag,
    default: scalar.nullish().transform((value) => value ?? null),
  },
  '{ key, secret, required, default }',
);

const ORIGIN = 'an origin such as https://shop.example, without a path';
const origins = listOf(
  z
    .string({ error: ORIGIN })
    .refine((value) => /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value, {
      error: ORIGIN,
    }),
  'origins',
);

/** The shorthand `branding: true` is a key like any unknown one: dropped without a word (spec 1, catalog rule 1). */
const auth = entry(
  {
    mode: z.enum(AUTH_MODES, { error: `one of ${AUTH_MODES.join(', ')}` }),
    passport: entry(
      {
        includeBranding: flag,
        includeEntityHash: flag,
        headless: flag,
        allowedEmbedOrigins: origins,
        // One example of the spec spells the key this way.
        allowedOrigins: origins,
      },
      '{ includeBranding, includeEntityHash, headless, allowedEmbedOrigins }',
    )
      .nullish()
      .transform((passport) => {
        const { allowedOrigins = [], allowedEmbedOrigins = [], ...flags } = passport ?? {};
        return {
          ...NO_PASSPORT,
          ...flags,
          allowedEmbedOrigins: [...new Set([...allowedEmbedOrigins, ...allowedOrigins])],
        };
      }),
  },
  '{ mode, passport }',
);

const PORT = 'a port from 1 to 65535';
const port = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^\d{1,5}$/)
        .transform(Number),
    ],
    { error: PORT },
  )
  .pipe(z.int({ error: PORT }).min(1, { error: PORT }).max(65_535, { error: PORT }));

const VERSION = 'a version such as 0.6.0';
const version = z
  .union([z.string(), z.number()], { error: VERSION })
  .transform((value) =>
    String(value)
      .replace(/^v/, '')
      .replace(/^(\d+\.\d+)$/, '$1.0'),
  )
  .pipe(z.string().regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/, { error: VERSION }));

const HEALTH = 'a path that begins with one /, without blanks, backslashes and control characters';
const INSIDE = 'a path inside the app, relative and without ..';
const OUTPUT = 'a folder inside the app, relative, of letters, digits, dots, dashes and slashes';
const COMMAND = 'one line of at most 1000 characters';
const commandLine = z
  .string({ error: COMMAND })
  .trim()
  .regex(/^[^\n\r\0]{1,1000}$/, { error: COMMAND });
const FOLDER =
  'absolute folders of the container separated by commas, such as /app/data, and none of /proc, /sys, /dev, /etc';
const MAX_WRITABLE_PATHS = 16;
const isFolder = (path: string): boolean =>
  /^(?:\/[A-Za-z0-9._@+-]+)+$/.test(path) && !/\/\.{1,2}(?:\/|$)|^\/(?:proc|sys|dev|etc)(?:\/|$)/.test(path);

const commaList = (error: string) =>
  z
    .union([z.string(), z.array(z.string())], { error })
    .transform((value) => (Array.isArray(value) ? value : value.split(/[\s,]+/)).filter((item) => item !== ''));

const annotations = z.object(
  {
    'platform.io/catalog-version': version.nullish(),
    'platform.io/pod-tier': scalar.nullish(),
    'platform.io/health-endpoint': z
      .string({ error: HEALTH })
      .regex(/^\/(?!\/)[^\s\\\p{Cc}]*$/u, { error: HEALTH })
      .nullish(),
    'platform.io/port': port.nullish(),
    'platform.io/env-vars': commaList('variable names separated by commas').pipe(z.array(variableName)).nullish(),
    'platform.io/memory-request': scalar.nullish(),
    'platform.io/cpu-request': scalar.nullish(),
    'platform.io/framework': scalar.nullish(),
    'platform.io/dockerfile': z.string({ error: INSIDE }).refine(isInsidePath, { error: INSIDE }).nullish(),
    'platform.io/install-command': commandLine.nullish(),
    'platform.io/build-command': commandLine.nullish(),
    'platform.io/start-command': commandLine.nullish(),
    'platform.io/output-folder': z
      .string({ error: OUTPUT })
      .refine((path) => isInsidePath(path) && /^[\w.@][\w./@-]*$/.test(path), { error: OUTPUT })
      .nullish(),
    'platform.io/writable-paths': commaList(FOLDER)
      .pipe(
        z
          .array(z.string().refine(isFolder, { error: FOLDER }))
          .max(MAX_WRITABLE_PATHS, { error: `at most ${MAX_WRITABLE_PATHS} folders` }),
      )
      .nullish(),
  },
  { error: 'a mapping of annotations' },
);

const spec = z.object(
  {
    owner: text('the slug of an org').nullish(),
    framework: scalar.nullish(),
    routes: listOf(route, 'routes'),
    dependencies: listOf(
      entry({ service: serviceName, scopes: listOf(text('the name of a scope'), 'scopes') }, '{ service, scopes }'),
      'dependencies',
    ),
    databases: listOf(
      entry({ type: z.enum(['mongodb', 'postgres'], { error: 'one of mongodb, postgres' }) }, '{ type }'),
      'databases',
    ),
    storage: listOf(
      entry(
        {
          name: text('a name'),
          tier: z.enum(STORAGE_TIERS, { error: `one of ${STORAGE_TIERS.join(', ')}` }),
        },
        '{ name, tier }',
      ),
      'buckets',
    ),
    config: listOf(configEntry, 'variables'),
    auth: auth.nullish(),
  },
  { error: 'a mapping' },
);

export const catalogSchema = z.object(
  {
    metadata: z.object(
      { name: serviceName, annotations: annotations.nullish() },
      { error: 'a mapping with the name of the service' },
    ),
    spec: spec.nullish(),
  },
  { error: 'a mapping with metadata and spec' },
);

export type CatalogFile = z.infer<typeof catalogSchema>;
