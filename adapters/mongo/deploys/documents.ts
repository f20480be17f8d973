import { z } from 'zod';
import { CONSUMED_ENGINES, DATABASE_ACCESS } from '../../../domain/catalog/catalog.ts';
import { POD_TIERS, type PodTierName } from '../../../domain/catalog/pod-tiers.ts';
import { DATABASE_ENGINES } from '../../../domain/databases/engines.ts';
import type { BuildRecord, BuildStep } from '../../../domain/deploys/build.ts';
import { BUILD_KINDS } from '../../../domain/deploys/build-kind.ts';
import { storedFactsSchema } from '../../../domain/deploys/facts.ts';
import { HEALTH_RULES } from '../../../domain/deploys/health.ts';
import { PORT_RULES } from '../../../domain/deploys/listening.ts';
import type { Release } from '../../../domain/deploys/release.ts';
import {
  buildFailureSchema,
  buildSourceSchema,
  buildStageSchema,
  buildStatusSchema,
  diagnosticSchema,
  failureReasonSchema,
  plannedStepSchema,
  stepStateSchema,
} from '../../../domain/deploys/schema.ts';
import type { StepRun } from '../../../domain/deploys/step-run.ts';
import { environmentSchema } from '../../../domain/environment-schema.ts';
import { ERROR_CODES } from '../../../domain/errors.ts';
import type { LogLine } from '../../../domain/logs/log-line.ts';
import { sealedSecretSchema } from '../sealed-secret-schema.ts';

/**
 * Documents as they are stored, parsed on the way out: a document that something else wrote is refused here and not
 * somewhere inside. `_id` is the record's id; times that are null in the record are left out of the document.
 */

const text = z.string();
const nullableText = text.nullable();
const podTier = z.enum(Object.keys(POD_TIERS) as [PodTierName, ...PodTierName[]]);
const absentTime = z.date().nullable().default(null);

/** Recorded for the workflow; people are shown the step without it. */
const stepRunSchema: z.ZodType<StepRun> = z.object({
  activity: text,
  local: z.boolean(),
  attemptSeconds: z.number(),
  deadlineSeconds: z.number(),
  failOpen: z.array(z.object({ system: text, codes: z.union([z.literal('any'), z.array(z.enum(ERROR_CODES))]) })),
  undo: z.object({ activity: text, until: text }).nullable(),
  wait: z.object({ code: z.enum(ERROR_CODES), read: text }).exactOptional(),
  noResult: z.object({ codes: z.array(z.enum(ERROR_CODES)), activity: text }).exactOptional(),
  cancellable: z.boolean(),
  supersedable: z.boolean(),
});

// A build of an older or newer version is shown, whatever it says that this version does not know.
const stepSchema: z.ZodType<BuildStep> = plannedStepSchema
  .extend({
    stage: buildStageSchema.catch('deploying'),
    onFailure: z.enum(['fail', 'warn']).catch('fail'),
    state: stepStateSchema.catch('unknown'),
    // Version 0.1 stored none.
    run: z.unknown().default(null),
    attempt: z.int(),
    startedAt: absentTime,
    finishedAt: absentTime,
    warnings: z.array(text),
  })
  .transform((step) => {
    const run = stepRunSchema.nullable().safeParse(step.run);
    if (run.success) return { ...step, run: run.data };
    // It waits to run in a way that this version does not know: unlike one that has no work.
    return { ...step, run: null, state: step.state === 'pending' ? 'unknown' : step.state };
  });

const buildSchema = z.object({
  _id: text,
  kind: z.enum(BUILD_KINDS).catch('deploy'),
  serviceId: text,
  service: text,
  environment: environmentSchema,
  org: text,
  source: buildSourceSchema.catch({ kind: 'git', url: '', branch: null, commit: null }),
  status: buildStatusSchema.nullable().catch(null),
  reason: failureReasonSchema.nullable().catch(null),
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
  // Version 0.1 stored none.
  waiting: z.object({ since: z.date(), until: z.date() }).nullable().default(null),
  warnings: z.array(text),
  retryOf: nullableText,
  supersededBy: nullableText,
  // Version 0.1 stored none; here as in releases.
  epoch: z.number().nullable().default(null),
  facts: storedFactsSchema,
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
  environment: environmentSchema,
  commitSha: nullableText,
  imageTag: text,
  imageDigest: text,
  port: z.int(),
  portRule: z.enum(PORT_RULES).default('declared'),
  onLoopback: z.boolean().default(false),
  healthEndpoint: text,
  healthRule: z.enum(HEALTH_RULES).default('declared'),
  podTier,
  requests: z.object({ cpuMillis: z.number(), memoryBytes: z.number() }).optional(),
  readOnlyRoot: z.boolean(),
  writablePaths: z.array(text).default([]),
  foundFolders: z.array(text).default([]),
  oauthClient: z.boolean().default(false),
  databases: z.array(z.enum(DATABASE_ENGINES)).default([]),
  publicUrl: nullableText.default(null),
  // Absent in releases of before.
  consumedDatabases: z
    .array(
      z.object({
        engine: z.enum(CONSUMED_ENGINES),
        access: z.enum(DATABASE_ACCESS),
        service: z.string(),
        serviceId: z.string(),
      }),
    )
    .default([]),
  dependencies: z
    .array(z.object({ service: text, serviceId: text.optional(), url: text, variable: nullableText }))
    .default([]),
  config: z.record(text, text).default({}),
  secrets: z.record(text, sealedSecretSchema).default({}),
  createdAt: z.date(),
  activatedAt: absentTime,
  epoch: z.number().nullable().default(null),
  installedBy: nullableText.default(null),
});

const logLineSchema: z.ZodType<LogLine> = z.object({
  seq: z.int(),
  time: z.date(),
  step: nullableText,
  level: z.enum(['info', 'warn', 'error']),
  text,
});

/**
 * A build in a state that this version does not know is shown as ended or as waiting, whichever it is.
 * @throws ZodError naming the field for a document of another shape.
 */
export function readBuild(document: unknown): BuildRecord {
  const { _id, status, ...rest } = buildSchema.parse(document);
  return { id: _id, ...rest, status: status ?? (rest.finishedAt === null ? 'queued' : 'failed') };
}

/** @throws ZodError naming the field for a document of another shape. */
export function readRelease(document: unknown): Release {
  const { _id, ...rest } = releaseSchema.parse(document);
  return { id: _id, ...rest };
}

/** @throws ZodError naming the field for a document of another shape. */
export function readLogLine(document: unknown): LogLine {
  return logLineSchema.parse(document);
}
