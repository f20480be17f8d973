import { z } from 'zod';
import { VARIABLE_NAME } from '../config/variable-names.ts';
import { MOST_BINDINGS, MOST_METHODS, MOST_ROUTES } from '../registered-limits.ts';
import { auth } from './auth-schema.ts';
import {
  CATALOG_ENGINES,
  CONSUMED_ENGINES,
  DATABASE_ACCESS,
  MOST_DEPENDENCIES,
  MOST_SCOPES,
  STORAGE_TIERS,
} from './catalog.ts';
import { isCron } from './cron.ts';
import { bucketName, MOST_BUCKETS, ownerSlug, scopeName } from './name-schemas.ts';
import { modulesSection, registrationSection, userAccessSection } from './people-sections.ts';
import { seo, tests, walkthrough } from './release-schema.ts';
import { entry, flag, listOf, scalar } from './schema-kinds.ts';
import { isInsidePath } from './source-path.ts';

/** The catalog file's shape (spec 2, "Catalog file"). Each message completes the sentence "expected …, found …". */

const SERVICE_NAME = 'a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit';
const ENV_NAME = 'a variable name: letters, digits and underscores, not beginning with a digit';
const serviceName = z
  .string({ error: SERVICE_NAME })
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, { error: SERVICE_NAME });
const variableName = z.string({ error: ENV_NAME }).regex(VARIABLE_NAME, { error: ENV_NAME });
const ROUTE_PATH =
  'a path that begins with one /, without .., of at most 1000 characters (parameters as {name} or :name)';
const PREFIX = 'a path that begins with one /, without .., of at most 1000 characters';
/** Begins with one slash, so that it names no host, and has no parts that lead elsewhere, however they are written. */
const PATH = /^\/(?!\/)(?!(?:[^?#]*\/)?(?:\.|%2e){1,2}(?:\/|$))[^\s?#\\\p{Cc}]{0,999}$/iu;
const AUTH = 'the name of an auth mode, of at most 200 characters';
const METHOD = 'an HTTP method such as GET, or ANY';
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|ANY|\*)$/;
const GAS = 'a whole number of tokens, 0 or more';
/** Of larger ones a number holds no longer each, and `.inf` is one. */
const MOST_GAS = `at most ${Number.MAX_SAFE_INTEGER} tokens`;
const gasExpected = ({ input }: { readonly input?: unknown }): string =>
  typeof input === 'number' && input > Number.MAX_SAFE_INTEGER ? MOST_GAS : GAS;

const route = entry(
  {
    path: z
      .string({ error: ROUTE_PATH })
      .regex(PATH, { error: ROUTE_PATH })
      .describe('Path of the route; parameters as {name} or :name'),
    methods: listOf(
      z
        .string({ error: METHOD })
        .transform((value) => value.toUpperCase())
        .pipe(z.string().regex(METHODS, { error: METHOD })),
      'HTTP methods',
      MOST_METHODS,
    ).describe('Such as GET; none, or ANY, is all'),
    auth: z
      .union([z.string().max(200, { error: AUTH }), z.boolean()], { error: AUTH })
      .nullish()
      .transform((value) => (value === null || value === undefined || value === '' ? null : String(value)))
      .describe('Auth mode of the route at the gateway'),
    gas: z
      .int({ error: gasExpected })
      .min(0, { error: GAS })
      .nullish()
      .transform((value) => value ?? 0)
      .describe('Tokens for each successful call; 0 is free'),
    charge: z
      .enum(['service', 'callerOrg', 'system'], { error: 'one of service, callerOrg, system' })
      .nullish()
      .transform((value) => value ?? null)
      .describe('Who pays: the service (default), the org of the caller, or the platform'),
    stripPrefix: z
      .string({ error: PREFIX })
      .regex(PATH, { error: PREFIX })
      .nullish()
      .transform((value) => value ?? null)
      .describe('Beginning of the path that the gateway takes away before it asks the service'),
  },
  '{ path, methods, auth, gas, charge, stripPrefix }',
);

/** Queues, and schedules: the service registry keeps both together. */
const MOST_OF_A_KIND = MOST_BINDINGS / 2;
const BINDING_NAME = 'a name: 1 to 63 lower-case letters, digits, dashes, dots and underscores';
const bindingName = z
  .string({ error: BINDING_NAME })
  .regex(/^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/, { error: BINDING_NAME });
const BINDING_PATH = 'a path that begins with one /, without ..';
const bindingPath = z.string({ error: BINDING_PATH }).regex(PATH, { error: BINDING_PATH }).nullish();
const CRON = 'five fields such as "0 2 * * *": minute, hour, day, month, weekday, in UTC';
const cron = z.string({ error: CRON }).trim().max(200, { error: CRON }).refine(isCron, { error: CRON });

const queue = entry(
  {
    name: bindingName.describe('Name of the queue'),
    path: bindingPath.describe('Path that gets its messages by POST; /queues/<name> where there is none'),
  },
  '{ name, path }',
);

const schedule = entry(
  {
    name: bindingName.describe('Name of the schedule'),
    cron: cron.describe('When it runs, UTC: minute, hour, day, month, weekday'),
    path: bindingPath.describe('Path that is called by POST; /schedules/<name> where there is none'),
  },
  '{ name, cron, path }',
);

const configEntry = entry(
  {
    key: variableName.describe('Name of the variable'),
    secret: flag.describe('True for a value that is stored encrypted and never shown'),
    required: flag.describe('True when a deploy without a value is to fail before its build'),
    default: scalar
      .nullish()
      .transform((value) => value ?? null)
      .describe('Value where none is set; never that of a secret'),
  },
  '{ key, secret, required, default }',
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
    'platform.io/catalog-version': version.nullish().describe('Version of this format; 0.6.0 is the current one'),
    'platform.io/pod-tier': scalar
      .nullish()
      .describe('nano (default), small, medium, large or xlarge: CPU, memory and gas'),
    'platform.io/health-endpoint': z
      .string({ error: HEALTH })
      .regex(/^\/(?!\/)[^\s\\\p{Cc}]*$/u, { error: HEALTH })
      .nullish()
      .describe(
        'Path that must answer 2xx before traffic reaches a release; without it any answer below 500 at the default, or at /, will do',
      ),
    'platform.io/port': port
      .nullish()
      .describe(
        'Port the service listens on, given to it in PORT; without it 3000, and where it listens elsewhere that port is found',
      ),
    'platform.io/env-vars': commaList('variable names separated by commas')
      .pipe(z.array(variableName))
      .nullish()
      .describe('Names, separated by commas, of variables that the image build sees in .env.production'),
    'platform.io/memory-request': scalar
      .nullish()
      .describe('Memory that is set aside, such as 128Mi; from 64Mi to the limit of the tier'),
    'platform.io/cpu-request': scalar
      .nullish()
      .describe('CPU that is set aside, such as 100m; from 10m to the limit of the tier'),
    'platform.io/framework': scalar
      .nullish()
      .describe('express, fastify, hono, nextjs or static; without it the framework is inferred'),
    'platform.io/dockerfile': z
      .string({ error: INSIDE })
      .refine(isInsidePath, { error: INSIDE })
      .nullish()
      .describe('Container file of your own, from the folder of the app'),
    'platform.io/install-command': commandLine
      .nullish()
      .describe('Shell command that installs packages, in the place of what was found'),
    'platform.io/build-command': commandLine
      .nullish()
      .describe('Shell command that builds, in the place of what was found'),
    'platform.io/start-command': commandLine
      .nullish()
      .describe('Shell command that starts the service, in the place of what was found'),
    'platform.io/output-folder': z
      .string({ error: OUTPUT })
      .refine((path) => isInsidePath(path) && /^[\w.@][\w./@-]*$/.test(path), { error: OUTPUT })
      .nullish()
      .describe('Folder of the built site, from the folder of the app'),
    'platform.io/writable-paths': commaList(FOLDER)
      .pipe(
        z
          .array(z.string().refine(isFolder, { error: FOLDER }))
          .max(MAX_WRITABLE_PATHS, { error: `at most ${MAX_WRITABLE_PATHS} folders` }),
      )
      .nullish()
      .describe(
        'Folders of the container, separated by commas, that the service writes to; empty at its start, lost at its end',
      ),
  },
  { error: 'a mapping of annotations' },
);

/** Those of the platform; other tools have annotations of their own. */
export const KNOWN_ANNOTATIONS: ReadonlySet<string> = new Set(Object.keys(annotations.shape));

const consumedDatabase = entry(
  {
    type: z.enum(CONSUMED_ENGINES, { error: `one of ${CONSUMED_ENGINES.join(', ')}` }).describe('Kind of database'),
    access: z
      .enum(DATABASE_ACCESS, { error: `one of ${DATABASE_ACCESS.join(', ')}` })
      .nullish()
      .transform((access) => access ?? 'read')
      .describe('What this service may do there; read by default'),
  },
  '{ type, access }',
);

const spec = z.object(
  {
    owner: ownerSlug.nullish().describe('Slug of the org that owns the service and pays for it'),
    framework: scalar.nullish().describe('The same as the annotation platform.io/framework'),
    routes: listOf(route, 'routes', MOST_ROUTES).describe('Routes that the gateway knows, with their price'),
    queues: listOf(queue, 'queues', MOST_OF_A_KIND).describe(
      'Queues that call the service; registered with the service registry',
    ),
    schedules: listOf(schedule, 'schedules', MOST_OF_A_KIND).describe(
      'Schedules that call the service; registered with the service registry',
    ),
    dependencies: listOf(
      entry(
        {
          service: serviceName.describe('Name of the service that is called'),
          scopes: listOf(scopeName, 'scopes', MOST_SCOPES).describe(
            'What it is asked for, such as read; tokens name it as shop:read',
          ),
          databases: listOf(consumedDatabase, 'databases').describe(
            'Databases of that service, in the same environment, that this one uses; see docs/databases.md',
          ),
        },
        '{ service, scopes, databases }',
      ),
      'dependencies',
      MOST_DEPENDENCIES,
    ).describe('Services that this one calls, and with which scopes'),
    databases: listOf(
      entry(
        {
          type: z.enum(CATALOG_ENGINES, { error: `one of ${CATALOG_ENGINES.join(', ')}` }).describe('Kind of database'),
        },
        '{ type }',
      ),
      'databases',
    ).describe('Databases of the service'),
    storage: listOf(
      entry(
        {
          name: bucketName.describe('Name of the bucket'),
          tier: z.enum(STORAGE_TIERS, { error: `one of ${STORAGE_TIERS.join(', ')}` }).describe('Its size and price'),
        },
        '{ name, tier }',
      ),
      'buckets',
      MOST_BUCKETS,
    ).describe('Object storage of the service'),
    config: listOf(configEntry, 'variables').describe('Variables that the service takes'),
    tests: tests.describe('HTTP tests that a release has to pass; see docs/after-install.md'),
    walkthrough: walkthrough.nullish().describe('What shows people around in the service; linked from its changelog'),
    seo: seo.nullish().describe('What the site registry is told: see docs/after-install.md'),
    modules: modulesSection,
    userAccess: userAccessSection,
    registration: registrationSection,
    auth: auth.nullish().describe('Asks for an OAuth client of the service at the identity provider'),
  },
  { error: 'a mapping' },
);

export const catalogSchema = z.object(
  {
    metadata: z.object(
      {
        name: serviceName.describe('Name of the service; it becomes part of its address'),
        annotations: annotations.nullish().describe('How it is built and run'),
      },
      { error: 'a mapping with the name of the service' },
    ),
    spec: spec.nullish().describe('What it needs and offers'),
  },
  { error: 'a mapping with metadata and spec' },
);

export type CatalogFile = z.infer<typeof catalogSchema>;
