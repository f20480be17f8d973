import { z } from 'zod';
import { ENVIRONMENTS } from '../environment.ts';

/** Shapes of services as the HTTP API takes and shows them (spec 2, "Services and builds"). */

/** A DNS label of at most 40 characters: it becomes a host name and part of container names. */
export const serviceNameSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
    'lower-case letters, digits and inner dashes, at most 40 characters',
  );

export const orgSlugSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'an org slug: lower-case letters, digits and dashes');

export const environmentSchema = z.enum(ENVIRONMENTS);

/** Name of an environment variable. */
export const variableNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'letters, digits and underscores, not beginning with a digit');

/** Names the platform provides itself (spec 2, "Configuration variables and secrets", 5). */
const RESERVED_VARIABLES: ReadonlySet<string> = new Set([
  'IDP_CLIENT_ID',
  'IDP_CLIENT_SECRET',
  'IDP_URL',
  'MONGODB_URI',
  'REDIS_URL',
  'REGISTRY_URL',
  'GATEWAY_URL',
  'AUDIT_URL',
  'WALLET_SERVICE_URL',
  'SERVICE_NAMESPACE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'FTP_PROXY',
  'NO_PROXY',
  'GIT_COMMIT',
  'ENVIRONMENT',
  'NODE_ENV',
  'PORT',
]);

/** True for a variable that a service may not set, in any letter case, because the platform injects it. */
export function isReservedVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return RESERVED_VARIABLES.has(upper) || upper.startsWith('NEO4J_');
}

/** A path inside the repository: relative, forward slashes, never upward. */
const relativePath = z
  .string()
  .min(1)
  .max(400)
  .refine(isInnerPath, 'a relative path with forward slashes that stays inside the repository');

function isInnerPath(path: string): boolean {
  if (path.startsWith('/') || path.includes('\\') || path.includes('\0')) return false;
  return !path.split('/').includes('..');
}

const MAX_VALUE_LENGTH = 32_768;
const MAX_VARIABLES = 200;

const variables = z
  .record(variableNameSchema, z.string().max(MAX_VALUE_LENGTH).nullable())
  .refine((map) => Object.keys(map).length <= MAX_VARIABLES, `at most ${MAX_VARIABLES} variables in one request`);

/** Body of POST /services. An absent field keeps what is stored; null clears it. */
export const putServiceBodySchema = z.strictObject({
  name: serviceNameSchema,
  org: orgSlugSchema.optional().describe('Owner. Default: the org of the caller; of an existing service, its owner.'),
  gitUrl: z.string().min(1).max(2_000).nullable().optional().describe('https URL, or a local path where allowed'),
  branch: z.string().min(1).max(250).nullable().optional(),
  appPath: relativePath.nullable().optional().describe('Directory of the app inside the repository'),
  dockerfilePath: relativePath.nullable().optional(),
  port: z.int().min(1).max(65_535).nullable().optional(),
  config: variables.optional().describe('Plain variables, merged key by key; null removes one'),
  secrets: variables
    .optional()
    .describe('Encrypted variables, merged key by key; null removes one. Never shown again.'),
});

export type PutServiceBody = z.infer<typeof putServiceBodySchema>;

/** What a secret looks like in every reply. */
export const HIDDEN_SECRET = '********';

export const serviceViewSchema = z.object({
  id: z.string(),
  name: z.string(),
  org: z.string(),
  authorizedOrgs: z.array(z.string()),
  gitUrl: z.string().nullable(),
  branch: z.string().nullable(),
  appPath: z.string().nullable(),
  dockerfilePath: z.string().nullable(),
  port: z.int().nullable(),
  config: z.record(z.string(), z.string()),
  secrets: z.record(z.string(), z.literal(HIDDEN_SECRET)).describe('Names of the secrets; values are never shown'),
  lastBuildId: z.string().nullable(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export type ServiceView = z.infer<typeof serviceViewSchema>;

/** What runs in one environment. */
export const deployedEnvironmentSchema = z.object({
  environment: environmentSchema,
  url: z.string().describe('Public address'),
  releaseId: z.string(),
  buildId: z.string(),
  commitSha: z.string().nullable(),
  activatedAt: z.iso.datetime(),
});

/** Reply of GET /services/:id. */
export const serviceDetailSchema = serviceViewSchema.extend({ environments: z.array(deployedEnvironmentSchema) });

export type ServiceDetail = z.infer<typeof serviceDetailSchema>;

/** A page of a list; `nextCursor` is null on the last one. */
export function pageSchema<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/** Query parameters of every list. */
export const pageQueryShape = {
  cursor: z.string().min(1).max(500).optional().describe('`nextCursor` of the page before'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
} as const;
