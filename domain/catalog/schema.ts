import { z } from 'zod';
import { MOST_ROUTES } from '../registered-limits.ts';
import { annotations } from './annotations-schema.ts';
import { auth } from './auth-schema.ts';
import { MOST_OF_A_KIND, queue, schedule } from './binding-schema.ts';
import {
  CATALOG_ENGINES,
  CONSUMED_ENGINES,
  DATABASE_ACCESS,
  MOST_DEPENDENCIES,
  MOST_SCOPES,
  STORAGE_TIERS,
} from './catalog.ts';
import { bucketName, MOST_BUCKETS, ownerSlug, scopeName, variableName } from './name-schemas.ts';
import { modulesSection, registrationSection, userAccessSection } from './people-sections.ts';
import { seo, tests, walkthrough } from './release-schema.ts';
import { route } from './route-schema.ts';
import { entry, flag, listOf, scalar } from './schema-kinds.ts';

/** The catalog file's shape (spec 2, "Catalog file"). Each message completes the sentence "expected …, found …". */

const SERVICE_NAME = 'a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit';
const serviceName = z
  .string({ error: SERVICE_NAME })
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, { error: SERVICE_NAME });
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

export const specSchema = z.object(
  {
    owner: ownerSlug.nullish().describe('Slug of the org that owns the service and pays for it'),
    framework: scalar.nullish().describe('The same as the annotation platform.io/framework'),
    routes: listOf(route, 'routes', MOST_ROUTES).describe(
      'Routes with their price, for a gateway that reads the service registry; Fairlead brings none',
    ),
    queues: listOf(queue, 'queues', MOST_OF_A_KIND).describe(
      'Queues that call the service, for a broker that reads the service registry; Fairlead brings none',
    ),
    schedules: listOf(schedule, 'schedules', MOST_OF_A_KIND).describe(
      'Schedules that call the service, for a scheduler that reads the service registry; Fairlead brings none',
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
    ).describe('Object storage of the service; this version makes none'),
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
    spec: specSchema.nullish().describe('What it needs and offers'),
  },
  { error: 'a mapping with metadata and spec' },
);

export type CatalogFile = z.infer<typeof catalogSchema>;
