import { z } from 'zod';
import { SIGN_IN_RULES } from '../sign-in-rule.ts';
import {
  AUTH_MODES,
  CATALOG_ENGINES,
  CATALOG_SECTIONS,
  type Catalog,
  CONSUMED_ENGINES,
  DATABASE_ACCESS,
  FRAMEWORKS,
  STORAGE_TIERS,
} from './catalog.ts';
import { POD_TIERS, type PodTierName } from './pod-tiers.ts';

const nullableText = z.string().nullable();

/** A parsed catalog as builds keep it. What has a default here, such as `healthDeclared`, without which 2xx is asked for, is absent in records of earlier versions. */
export const catalogRecordSchema: z.ZodType<Catalog> = z.object({
  name: z.string().nullable(),
  declared: z.boolean(),
  version: z.string(),
  framework: z.enum(FRAMEWORKS).nullable(),
  owner: z.string().nullable(),
  podTier: z.enum(Object.keys(POD_TIERS) as [PodTierName, ...PodTierName[]]),
  cpuRequestMillis: z.number(),
  memoryRequestBytes: z.number(),
  healthEndpoint: z.string(),
  healthDeclared: z.boolean().default(true),
  port: z.int().nullable(),
  buildEnvVars: z.array(z.string()),
  dockerfile: z.string().nullable(),
  nodeVersion: z.string().nullable().default(null),
  packageManager: z.string().nullable().default(null),
  installCommand: z.string().nullable().default(null),
  buildCommand: z.string().nullable().default(null),
  startCommand: z.string().nullable().default(null),
  outputFolder: z.string().nullable().default(null),
  writablePaths: z.array(z.string()).default([]),
  config: z.array(
    z.object({ key: z.string(), secret: z.boolean(), required: z.boolean(), default: z.string().nullable() }),
  ),
  databases: z.array(z.enum(CATALOG_ENGINES)),
  storage: z.array(z.object({ name: z.string(), tier: z.enum(STORAGE_TIERS) })),
  dependencies: z.array(
    z.object({
      service: z.string(),
      scopes: z.array(z.string()),
      databases: z.array(z.object({ type: z.enum(CONSUMED_ENGINES), access: z.enum(DATABASE_ACCESS) })).optional(),
    }),
  ),
  routes: z.array(
    z.object({
      path: z.string(),
      methods: z.array(z.string()),
      auth: z.string().nullable(),
      gas: z.number(),
      charge: z.enum(['service', 'callerOrg', 'system']).nullable(),
      stripPrefix: z.string().nullable(),
    }),
  ),
  bindings: z
    .array(
      z.object({
        kind: z.enum(['queue', 'schedule']),
        name: z.string(),
        path: z.string(),
        cron: z.string().nullable(),
      }),
    )
    .default([]),
  auth: z
    .object({
      mode: z.enum(AUTH_MODES),
      passport: z.object({
        includeBranding: z.boolean(),
        includeEntityHash: z.boolean(),
        headless: z.boolean(),
        allowedEmbedOrigins: z.array(z.string()),
      }),
    })
    .nullable()
    .default(null),
  seo: z
    .object({ enabled: z.boolean(), entity: z.string().nullable(), topic: z.string().nullable() })
    .nullable()
    .default(null),
  tests: z
    .array(
      z.object({
        name: z.string(),
        method: z.string(),
        path: z.string(),
        headers: z.record(z.string(), z.string()),
        body: z.string().nullable(),
        expectStatus: z.int().nullable(),
        expectBodyContains: z.string().nullable(),
      }),
    )
    .default([]),
  modules: z.array(z.object({ name: z.string(), title: nullableText })).default([]),
  userAccess: z
    .object({
      signIn: z.enum(SIGN_IN_RULES),
      roles: z.array(z.object({ name: z.string(), title: nullableText, description: nullableText })),
    })
    .nullable()
    .default(null),
  registration: z
    .object({ title: nullableText, description: nullableText, termsUrl: nullableText, privacyUrl: nullableText })
    .nullable()
    .default(null),
  walkthrough: z.string().nullable().default(null),
  sections: z.array(z.enum(CATALOG_SECTIONS)),
});
