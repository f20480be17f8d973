import { z } from 'zod';
import { variableNameSchema } from '../config/variable-names.ts';
import { environmentSchema } from '../environment-schema.ts';
import { orgSlugSchema } from '../org-slug.ts';
import { pageSchema } from '../page-schema.ts';
import { MOST_METHODS, MOST_ROUTES } from '../registered-limits.ts';
import { serviceNameSchema } from '../service-name.ts';
import { BINDING_KINDS, CHARGES, REGISTRY_ENVIRONMENTS } from './service-entry.ts';

/** Shapes of the service registry as its HTTP API takes and shows them; its routes and its client use the same ones. */

const id = z.string().regex(/^[a-z]+_[A-Za-z0-9_-]{1,60}$/, 'an id such as svc_…');
const moment = z.iso.datetime({ offset: true });
const commit = z.string().min(1).max(100);
const portSchema = z.int().min(1).max(65_535);
const path = z
  .string()
  .max(1_000)
  .regex(/^\/[^\s?#]*$/, 'a path that begins with /');
const shortText = z.string().min(1).max(200);
const httpUrl = z.url({ protocol: /^https?$/ }).max(2_000);

export const serviceIdSchema = id;
export const registryEnvironmentSchema = z.enum(REGISTRY_ENVIRONMENTS);
export const bindingKindSchema = z.enum(BINDING_KINDS);
/** Lower-case, so that a name stands in an address as it is. */
export const bindingNameSchema = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/, 'lower-case letters, digits, inner dashes, dots and underscores');
export const epochSchema = z.coerce.number().int().min(0);

/** More than this in one catalog is a mistake. */
export const MOST_MODULES = 100;
const MOST_ROLES = 100;
export const MOST_NOTES = 20_000;

export const declarationBodySchema = z.strictObject({
  name: serviceNameSchema,
  org: orgSlugSchema,
  serviceSince: moment.describe('When the builder made the service'),
});

const routeSchema = z.strictObject({
  path,
  methods: z.array(z.string().regex(/^(?:[A-Z]{3,10}|\*)$/)).max(MOST_METHODS),
  auth: shortText.nullable(),
  gas: z.int().min(0),
  charge: z.enum(CHARGES).nullable().describe('null: the catalog declares none'),
  stripPrefix: path.nullable(),
});

const moduleSchema = z.strictObject({ name: bindingNameSchema, title: shortText.nullable() });

const registrationShape = {
  buildId: id,
  releaseId: id,
  commit: commit.nullable(),
  port: portSchema,
  url: httpUrl,
  healthEndpoint: z.string().min(1).max(1_000).startsWith('/'),
  routes: z.array(routeSchema).max(MOST_ROUTES),
  modules: z.array(moduleSchema).max(MOST_MODULES),
} as const;

/** Names are those of `spec.modules` and `spec.userAccess.roles`. */
const roleSchema = z.strictObject({
  name: bindingNameSchema,
  title: shortText.nullable(),
  description: z.string().min(1).max(1_000).nullable(),
});

const registrationTextSchema = z.strictObject({
  title: shortText.nullable(),
  description: z.string().min(1).max(1_000).nullable(),
  termsUrl: httpUrl.nullable(),
  privacyUrl: httpUrl.nullable(),
});

const metadataShape = {
  roles: z.array(roleSchema).max(MOST_ROLES).describe('Roles that the service knows'),
  registration: registrationTextSchema.nullable().describe('What people are shown where they sign up'),
} as const;

export const metadataBodySchema = z.strictObject({ epoch: epochSchema, ...metadataShape });
export const metadataViewSchema = z.object(metadataShape);

export const announcedModulesBodySchema = z.strictObject({
  buildId: id,
  modules: z.array(moduleSchema).max(MOST_MODULES),
});

export const registrationBodySchema = z.strictObject({ epoch: epochSchema, ...registrationShape });

export const registrationViewSchema = z.object({ ...registrationShape, registeredAt: moment });

export const bindingBodySchema = z.strictObject({
  epoch: epochSchema,
  port: portSchema,
  path,
  cron: z.string().max(200).nullable().describe('Five fields, UTC; null for a queue'),
});

export const bindingViewSchema = z.object({
  kind: bindingKindSchema,
  name: z.string(),
  namespace: z.string(),
  port: portSchema,
  path: z.string(),
  cron: z.string().nullable(),
});

export const bindingPageSchema = pageSchema(bindingViewSchema);

export const changelogBodySchema = z.strictObject({
  serviceId: id.describe('The service that has the name; another one is refused'),
  notes: z.string().min(1).max(MOST_NOTES),
  version: shortText.nullable().default(null),
  commit: commit.nullable().default(null),
  deployedAt: moment,
  walkthroughUrl: httpUrl.nullable().default(null),
});

export const walkthroughBodySchema = z.strictObject({ serviceId: id, walkthroughUrl: httpUrl });

export const changelogViewSchema = z.object({
  service: z.string(),
  notes: z.string(),
  version: z.string().nullable(),
  commit: z.string().nullable(),
  deployedAt: moment,
  walkthroughUrl: z.string().nullable(),
  walkthroughUpdatedAt: moment.nullable(),
});

/** Names of npm: a scope or none, and a name. */
export const packageNameSchema = z
  .string()
  .max(214)
  .regex(/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/, 'the name of a package');

export const packageVersionSchema = z
  .string()
  .max(100)
  .regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/, 'a version such as 1.2.0');

export const manifestBodySchema = z.strictObject({
  commit,
  sdkVersions: z.record(packageNameSchema, z.string().min(1).max(200)),
  deployedBy: shortText,
});

const names = z.array(variableNameSchema).max(1_000);

export const snapshotBodySchema = z.strictObject({
  releaseId: id,
  commit: commit.nullable(),
  imageDigest: z.string().min(1).max(1_000),
  port: portSchema,
  podTier: shortText,
  healthEndpoint: z.string().min(1).max(1_000),
  config: names.describe('Names of plain variables'),
  secrets: names.describe('Names of secrets; values are never sent'),
});

export const deployViewSchema = z.object({
  buildId: z.string(),
  environment: environmentSchema,
  at: moment,
  manifest: z
    .object({ commit: z.string(), sdkVersions: z.record(z.string(), z.string()), deployedBy: z.string() })
    .nullable(),
  snapshot: z.object(snapshotBodySchema.shape).nullable(),
});

export const packageChangelogBodySchema = z.strictObject({ notes: z.string().min(1).max(MOST_NOTES) });

export const packageChangelogViewSchema = z.object({
  package: z.string(),
  version: z.string(),
  notes: z.string(),
  publishedAt: moment,
});

/** Plugin record of a service. */
export const pluginViewSchema = z.object({
  service: z.string(),
  serviceId: z.string(),
  org: z.string(),
  environments: z.array(registryEnvironmentSchema),
  hasChangelog: z.boolean(),
  revision: z.int(),
  updatedAt: moment,
});

export const namespaceViewSchema = z.object({
  namespace: z.string(),
  service: z.string(),
  serviceId: z.string(),
  org: z.string(),
  environment: registryEnvironmentSchema,
  since: moment,
});

/** A service with all that it has in each environment. */
export const entryViewSchema = z.object({
  ...pluginViewSchema.omit({ environments: true }).shape,
  environments: z.array(
    z.object({
      environment: registryEnvironmentSchema,
      namespace: z.string(),
      since: moment,
      registration: registrationViewSchema.nullable(),
      metadata: metadataViewSchema.nullable(),
      bindings: z.array(bindingViewSchema),
    }),
  ),
});

/** What the gateway forwards and charges by. */
export const serviceRoutesSchema = z.object({
  service: z.string(),
  serviceId: z.string(),
  org: z.string(),
  namespace: z.string(),
  environment: registryEnvironmentSchema,
  ...registrationViewSchema.shape,
});

export const moduleViewSchema = z.object({
  ...moduleSchema.shape,
  service: z.string(),
  serviceId: z.string(),
  org: z.string(),
  environment: registryEnvironmentSchema,
  serving: z.boolean().describe('False: a deploy announced it and does not serve, or not yet'),
});
