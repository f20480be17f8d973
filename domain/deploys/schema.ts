import { z } from 'zod';
import { environmentSchema } from '../environment-schema.ts';
import { FAILURE_REASONS, STEP_STATES } from './build.ts';
import { BUILD_KINDS } from './build-kind.ts';
import { GRANT_WAIT_SECONDS } from './build-wait.ts';
import { HEALTH_RULES } from './health.ts';
import { BUILD_STAGES, BUILD_STATUSES } from './status.ts';

/** Shapes of builds, logs and releases as the HTTP API takes and shows them (spec 2, "Services and builds"). */

const time = z.iso.datetime();

export const healthRuleSchema = z
  .enum(HEALTH_RULES)
  .describe('declared: the endpoint answers 2xx; alive: nobody declared one, and any answer below 500 counts');

/** A step's key. Builds of other versions may have steps that this one does not know. */
export const stepKeySchema = z.string().describe('Key of a step, such as image-build; later versions may add steps');

export const stepStateSchema = z.enum(STEP_STATES);
export const buildStageSchema = z.enum(BUILD_STAGES);
export const buildStatusSchema = z.enum(BUILD_STATUSES);
export const failureReasonSchema = z.enum(FAILURE_REASONS);

export const buildSourceSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('git'),
    url: z.string(),
    branch: z.string().nullable(),
    commit: z.string().nullable(),
  }),
  z.object({ kind: z.literal('archive'), archiveId: z.string(), sha256: z.string() }),
]);

export const buildFailureSchema = z.object({
  code: z.string().describe('What went wrong, in capitals; later versions may add codes'),
  message: z.string(),
  step: stepKeySchema.nullable(),
  details: z.unknown().exactOptional(),
  system: z.string().exactOptional().describe('The system that failed, where it is known'),
});

export const diagnosticSchema = z.object({ step: stepKeySchema, title: z.string(), lines: z.array(z.string()) });

/** A step as planned, before anything ran. */
export const plannedStepSchema = z.object({
  key: stepKeySchema,
  title: z.string(),
  stage: buildStageSchema,
  onFailure: z.enum(['fail', 'warn']),
  state: stepStateSchema,
  reason: z.string().nullable().describe('Why the step is skipped or reused'),
});

export const stepViewSchema = plannedStepSchema.extend({
  attempt: z.int(),
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  durationMs: z.int().nullable().describe('Up to now while it runs; null before it starts'),
  warnings: z.array(z.string()),
});

const waitingSchema = z
  .object({ since: time, until: time })
  .nullable()
  .describe('Set while the build waits for `blockedGrants` to be decided; at `until` it fails');

/** A build in a list. */
export const buildSummarySchema = z.object({
  id: z.string(),
  kind: z.enum(BUILD_KINDS),
  serviceId: z.string(),
  service: z.string(),
  environment: environmentSchema,
  org: z.string(),
  source: buildSourceSchema,
  status: buildStatusSchema,
  reason: failureReasonSchema.nullable(),
  failure: buildFailureSchema.nullable(),
  commitSha: z.string().nullable(),
  imageTag: z.string().nullable(),
  imageDigest: z.string().nullable(),
  releaseId: z.string().nullable(),
  url: z.string().nullable(),
  healthReportsCommit: z.boolean().nullable(),
  retryOf: z.string().nullable(),
  supersededBy: z.string().nullable(),
  requestedBy: z.string(),
  requestId: z.string(),
  waiting: waitingSchema,
  createdAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  durationMs: z.int().nullable().describe('From start to end, or up to now while it runs'),
  logs: z.string().describe('Path of the log'),
});

export type BuildSummary = z.infer<typeof buildSummarySchema>;

/** Reply of GET /builds/:id. */
export const buildViewSchema = buildSummarySchema.extend({
  lockfile: z
    .string()
    .nullable()
    .describe('Name of the lockfile that the install wrote, where the source has none: see GET /builds/{id}/lockfile'),
  steps: z.array(stepViewSchema),
  diagnostics: z.array(diagnosticSchema),
  blockedGrants: z.array(z.unknown()),
  warnings: z.array(z.string()),
});

export type BuildView = z.infer<typeof buildViewSchema>;

/** Reply of GET /builds/:id/lockfile. */
export const lockfileSchema = z.object({
  buildId: z
    .string()
    .describe('The build whose install wrote it; another one where the build has the image of that one'),
  name: z.string().describe('Such as package-lock.json: its place is beside the manifest'),
  text: z.string(),
});

/** Reply of everything that starts a build. */
export const triggerReplySchema = z.object({
  buildId: z.string(),
  deduplicated: z.boolean().describe('True when the request was attached to a build in flight'),
  supersededBuildId: z.string().nullable(),
  service: z.string(),
  environment: environmentSchema,
});

export const uploadReplySchema = triggerReplySchema.extend({ sha256: z.string(), sizeBytes: z.int() });

/** A reason to let a build through that violates conventions; told to the audit ledger. */
export const skipConventionCheckSchema = z
  .string()
  .trim()
  .min(3, 'a reason of at least 3 characters')
  .max(300, 'a reason of at most 300 characters')
  .regex(/^[^\p{Cc}]*$/u, 'one line of text')
  .optional()
  .describe('Why conventions and SDK upgrades are not checked; told to the audit ledger');

const waitForGrantsSecondsSchema = z
  .int()
  .min(GRANT_WAIT_SECONDS.min)
  .max(GRANT_WAIT_SECONDS.max)
  .optional()
  .describe(
    `How long, with waitForGrants; default ${GRANT_WAIT_SECONDS.default}. The build fails when nobody decided by then`,
  );

const WAIT_FOR_GRANTS =
  'Wait for scopes of other orgs to be granted, and then go on, in place of a failure with SCOPE_GRANT_BLOCKED';

/** How long a build waits for grants, in the body of what starts it. */
const waitForGrantsShape = {
  waitForGrants: z.boolean().optional().describe(WAIT_FOR_GRANTS),
  waitForGrantsSeconds: waitForGrantsSecondsSchema,
} as const;

/** The same in a query. */
export const waitForGrantsQueryShape = {
  waitForGrants: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe(WAIT_FOR_GRANTS),
  waitForGrantsSeconds: z.coerce.number().pipe(waitForGrantsSecondsSchema.unwrap()).optional(),
} as const;

export const triggerBodySchema = z.strictObject({
  service: z.string().min(1).max(64).describe('Name or id'),
  environment: environmentSchema.default('prod'),
  branch: z.string().min(1).max(250).optional(),
  commit: z
    .string()
    .regex(/^[0-9a-f]{7,40}$/, '7 to 40 lower-case hex digits')
    .optional(),
  skipConventionCheck: skipConventionCheckSchema,
  ...waitForGrantsShape,
});

export const logLineSchema = z.object({
  seq: z.int(),
  time,
  step: z.string().nullable(),
  level: z.enum(['info', 'warn', 'error']),
  text: z.string(),
});

export type LogLineView = z.infer<typeof logLineSchema>;

/** Reply of GET /builds/:id/logs as JSON: read on from `nextAfter`. */
export const logPageSchema = z.object({
  items: z.array(logLineSchema),
  nextAfter: z.int().describe('Sequence number to pass as `after` for the lines that follow'),
  status: buildStatusSchema,
  complete: z.boolean().describe('True when the build has ended and this page reaches the end of its log'),
});

/** Data of the SSE events `status` and `end`. */
export const statusEventSchema = z.object({
  status: buildStatusSchema,
  reason: failureReasonSchema.nullable(),
  failure: buildFailureSchema.nullable(),
  url: z.string().nullable(),
});

/** Data of the SSE event `steps`. */
export const stepsEventSchema = z.object({
  steps: z.array(stepViewSchema),
  waiting: waitingSchema,
  blockedGrants: z.array(z.unknown()),
});

export const retryBodySchema = z.strictObject({
  fromStep: z.string().min(1).max(64).optional().describe('Default: the step that failed'),
  ...waitForGrantsShape,
});

export const rollbackBodySchema = z.strictObject({
  environment: environmentSchema.default('prod'),
  releaseId: z.string().min(1).max(64).optional().describe('Default: the release that was active before this one'),
});

export const releaseViewSchema = z.object({
  id: z.string(),
  buildId: z.string(),
  service: z.string(),
  environment: environmentSchema,
  commitSha: z.string().nullable(),
  imageTag: z.string(),
  imageDigest: z.string(),
  port: z.int(),
  healthEndpoint: z.string(),
  healthRule: healthRuleSchema,
  podTier: z.string(),
  configKeys: z.array(z.string()),
  secretKeys: z.array(z.string()),
  active: z.boolean(),
  createdAt: time,
  activatedAt: time.nullable(),
});

export type ReleaseView = z.infer<typeof releaseViewSchema>;

const names = z.array(z.string());

/** A release in a list; with `changes` where they are asked for. */
export const listedReleaseSchema = releaseViewSchema.extend({
  changes: z
    .object({
      since: z.string().describe('Id of the release before it, with which it is compared'),
      commit: z
        .object({ from: z.string().nullable(), to: z.string().nullable() })
        .nullable()
        .describe('Null for the same commit'),
      notes: z.string().nullable().describe('What is new in its commit, of its changelog or commit subjects'),
      variables: z.object({ added: names, changed: names, removed: names }).describe('By name'),
      scopes: z
        .object({ added: names, removed: names })
        .nullable()
        .describe('Scopes of other services that its catalog asks for; null where that is not known'),
    })
    .nullable()
    .optional()
    .describe('With `changes=true`: what it has that the release before it did not; null for the first'),
});

export type ListedRelease = z.infer<typeof listedReleaseSchema>;
