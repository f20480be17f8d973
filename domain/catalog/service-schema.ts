import { z } from 'zod';
import { variablesSchema } from '../config/config-schema.ts';
import { HIDDEN_SECRET } from '../config/sealed-secret.ts';
import { environmentSchema } from '../environment-schema.ts';
import { orgSlugSchema } from '../org-slug.ts';
import { serviceNameSchema } from '../service-name.ts';

/** Shapes of services as the HTTP API takes and shows them (spec 2, "Services and builds"). */

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

/** Body of POST /services. An absent field keeps what is stored; null clears it. */
export const putServiceBodySchema = z.strictObject({
  name: serviceNameSchema,
  org: orgSlugSchema.optional().describe('Owner. Default: the org of the caller; of an existing service, its owner.'),
  gitUrl: z.string().min(1).max(2_000).nullable().optional().describe('https URL, or a local path where allowed'),
  branch: z.string().min(1).max(250).nullable().optional(),
  appPath: relativePath.nullable().optional().describe('Directory of the app inside the repository'),
  dockerfilePath: relativePath.nullable().optional(),
  port: z.int().min(1).max(65_535).nullable().optional(),
  config: variablesSchema
    .optional()
    .describe(
      'Plain variables, merged key by key; null removes one. With the secrets at most 300 and 128 KiB a service.',
    ),
  secrets: variablesSchema
    .optional()
    .describe('Encrypted variables, merged key by key; null removes one. Never shown again.'),
});

export type PutServiceBody = z.infer<typeof putServiceBodySchema>;

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
