import { z } from 'zod';
import { AUTH_MODES, CATALOG_SECTIONS, type Catalog, FRAMEWORKS, STORAGE_TIERS } from '../../domain/catalog/catalog.ts';
import { POD_TIERS, type PodTierName } from '../../domain/catalog/pod-tiers.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { BUILD_KINDS, type BuildFacts, type BuildRecord, type BuildStep } from '../../domain/deploys/build.ts';
import type { Release } from '../../domain/deploys/release.ts';
import {
  buildFailureSchema,
  buildSourceSchema,
  buildStatusSchema,
  diagnosticSchema,
  failureReasonSchema,
  plannedStepSchema,
} from '../../domain/deploys/schema.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import type { LogLine } from '../../domain/logs/log-line.ts';

/**
 * Documents as they are stored, parsed on the way out: a document that something else wrote is refused here and not
 * somewhere inside. `_id` is the record's id; times that are null in the record are left out of the document.
 */

const text = z.string();
const nullableText = text.nullable();
const podTier = z.enum(Object.keys(POD_TIERS) as [PodTierName, ...PodTierName[]]);
const environment = z.enum(ENVIRONMENTS);
const absentTime = z.date().nullable().default(null);
const sealedSecret = z.object({ keyId: text, sealed: text });
const variables = { config: z.record(text, text).default({}), secrets: z.record(text, sealedSecret).default({}) };

const credential = z.object({ clientId: text, secret: sealedSecret });

const serviceSchema = z.object({
  _id: text,
  name: text,
  org: text,
  authorizedOrgs: z.array(text),
  gitUrl: nullableText,
  branch: nullableText,
  appPath: nullableText,
  dockerfilePath: nullableText,
  port: z.int().nullable(),
  ...variables,
  oauthCredentials: z
    .object({ prod: credential.exactOptional(), sandbox: credential.exactOptional(), uat: credential.exactOptional() })
    .default({}),
  namespaces: z
    .object({ prod: z.date().exactOptional(), sandbox: z.date().exactOptional(), uat: z.date().exactOptional() })
    .default({}),
  lastBuildId: nullableText,
  createdAt: z.date(),
  updatedAt: z.date(),
});

const catalogSchema: z.ZodType<Catalog> = z.object({
  name: nullableText,
  declared: z.boolean(),
  version: text,
  framework: z.enum(FRAMEWORKS).nullable(),
  owner: nullableText,
  podTier,
  cpuRequestMillis: z.number(),
  memoryRequestBytes: z.number(),
  healthEndpoint: text,
  port: z.int().nullable(),
  buildEnvVars: z.array(text),
  dockerfile: nullableText,
  config: z.array(z.object({ key: text, secret: z.boolean(), required: z.boolean(), default: nullableText })),
  databases: z.array(z.enum(['mongodb', 'postgres'])),
  storage: z.array(z.object({ name: text, tier: z.enum(STORAGE_TIERS) })),
  dependencies: z.array(z.object({ service: text, scopes: z.array(text) })),
  routes: z.array(
    z.object({
      path: text,
      methods: z.array(text),
      auth: nullableText,
      gas: z.number(),
      charge: z.enum(['service', 'callerOrg', 'system']),
      stripPrefix: nullableText,
    }),
  ),
  auth: z
    .object({
      mode: z.enum(AUTH_MODES),
      passport: z.object({
        includeBranding: z.boolean(),
        includeEntityHash: z.boolean(),
        headless: z.boolean(),
        allowedEmbedOrigins: z.array(text),
      }),
    })
    .nullable()
    .default(null),
  sections: z.array(z.enum(CATALOG_SECTIONS)),
});

const factsSchema: z.ZodType<BuildFacts> = z.object({
  commitSha: text.exactOptional(),
  branch: text.exactOptional(),
  workDir: text.exactOptional(),
  appPath: text.exactOptional(),
  contextPath: text.exactOptional(),
  dockerfile: nullableText.exactOptional(),
  catalog: catalogSchema.exactOptional(),
  generatedContainerFile: z.boolean().exactOptional(),
  port: z.int().exactOptional(),
  imageTag: text.exactOptional(),
  imageDigest: text.exactOptional(),
  releaseId: text.exactOptional(),
  workloadId: text.exactOptional(),
  url: text.exactOptional(),
  healthReportsCommit: z.boolean().exactOptional(),
});

const stepSchema: z.ZodType<BuildStep> = plannedStepSchema.extend({
  attempt: z.int(),
  startedAt: absentTime,
  finishedAt: absentTime,
  warnings: z.array(text),
});

const buildSchema = z.object({
  _id: text,
  kind: z.enum(BUILD_KINDS),
  serviceId: text,
  service: text,
  environment,
  org: text,
  source: buildSourceSchema,
  status: buildStatusSchema,
  reason: failureReasonSchema.nullable(),
  failure: buildFailureSchema.nullable(),
  steps: z.array(stepSchema),
  commitSha: nullableText,
  imageTag: nullableText,
  imageDigest: nullableText,
  releaseId: nullableText,
  url: nullableText,
  healthReportsCommit: z.boolean().nullable(),
  diagnostics: z.array(diagnosticSchema),
  blockedGrants: z.array(z.unknown()),
  warnings: z.array(text),
  retryOf: nullableText,
  supersededBy: nullableText,
  facts: factsSchema,
  requestedBy: text,
  requestId: text,
  createdAt: z.date(),
  startedAt: absentTime,
  finishedAt: absentTime,
});

const releaseSchema = z.object({
  _id: text,
  buildId: text,
  serviceId: text,
  service: text,
  environment,
  commitSha: nullableText,
  imageTag: text,
  imageDigest: text,
  port: z.int(),
  healthEndpoint: text,
  podTier,
  readOnlyRoot: z.boolean(),
  oauthClient: z.boolean().default(false),
  ...variables,
  createdAt: z.date(),
  activatedAt: absentTime,
});

const logLineSchema: z.ZodType<LogLine> = z.object({
  seq: z.int(),
  time: z.date(),
  step: nullableText,
  level: z.enum(['info', 'warn', 'error']),
  text,
});

/** @throws ZodError naming the field for a document of another shape. */
export function readService(document: unknown): ServiceRecord {
  const { _id, ...rest } = serviceSchema.parse(document);
  return { id: _id, ...rest };
}

export function readBuild(document: unknown): BuildRecord {
  const { _id, ...rest } = buildSchema.parse(document);
  return { id: _id, ...rest };
}

export function readRelease(document: unknown): Release {
  const { _id, ...rest } = releaseSchema.parse(document);
  return { id: _id, ...rest };
}

export function readLogLine(document: unknown): LogLine {
  return logLineSchema.parse(document);
}
