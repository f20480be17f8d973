import { z } from 'zod';
import { putServiceBodySchema } from '../catalog/service-schema.ts';
import { EXAMPLE_FILES, SETTINGS_FILE } from '../catalog/variables-file.ts';
import { environmentSchema } from '../environment-schema.ts';
import { serviceNameSchema } from '../service-name.ts';
import { FAILURE_REASONS, STEP_STATES } from './build.ts';
import { BUILD_KINDS } from './build-kind.ts';
import { GRANT_WAIT_SECONDS } from './build-wait.ts';
import { HEALTH_RULES } from './health.ts';
import { BUILD_STAGES, BUILD_STATUSES } from './status.ts';

/** Shapes of builds, logs and releases as the HTTP API takes and shows them (spec 2, "Services and builds"). */

const time = z.iso.datetime();

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
  steps: z.array(stepViewSchema),
  diagnostics: z.array(diagnosticSchema),
  blockedGrants: z.array(z.unknown()),
  warnings: z.array(z.string()),
});

export type BuildView = z.infer<typeof buildViewSchema>;

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

const healthRuleSchema = z
  .enum(HEALTH_RULES)
  .describe('declared: the endpoint answers 2xx; alive: nobody declared one, and any answer below 500 counts');

const variableNames = z.array(z.string().max(100)).max(60);

const planPaths = z.array(z.string().max(400)).max(10_000);
const planTexts = (count: number) =>
  z
    .record(z.string().regex(/^[\w@./-]{1,400}$/, 'the path of a file'), z.string().max(65_536))
    .refine((texts) => Object.keys(texts).length <= count, `at most ${count} files`);

export const planBodySchema = z.strictObject({
  environment: environmentSchema.default('prod'),
  service: serviceNameSchema.optional().describe('Its name; it may not be here yet'),
  ...putServiceBodySchema.pick({ gitUrl: true, branch: true, appPath: true }).shape,
  catalog: z.string().max(65_536).optional().describe('Text of catalog-info.yaml'),
  manifest: z.string().max(1_048_576).optional().describe('Text of package.json'),
  files: planPaths
    .optional()
    .describe('Paths in the app directory, and in those of its directories that hold pages and entry files'),
  texts: planTexts(600)
    .optional()
    .describe('Texts of files that tell how the app is built and started, such as .nvmrc and Procfile, by path'),
  variables: z
    .partialRecord(
      z.enum([SETTINGS_FILE, ...EXAMPLE_FILES]),
      z.strictObject({ names: variableNames, secrets: variableNames.describe('Those that look like secrets') }),
    )
    .optional()
    .describe('Names of the variables in .env and .env.example; their values are not sent'),
  monorepo: z
    .strictObject({
      folder: z.string().max(400).describe('Its directory in the source'),
      app: z.string().max(400).describe('The app directory, relative to it'),
      files: planPaths,
      texts: planTexts(600),
    })
    .optional()
    .describe('The monorepo whose workspaces name the app directory, with the manifests of its packages'),
  registryVariables: variableNames
    .optional()
    .describe('Variables that the settings of the package manager name, such as NPM_TOKEN'),
  loaded: z.array(z.string().max(214)).max(300).optional().describe('Packages that the code of the app loads'),
});

const findingSchema = z.object({
  key: z.string(),
  title: z.string(),
  value: z.string(),
  reason: z.string(),
  setBy: z.string().describe('Where the author sets it'),
});

export const planReplySchema = z.object({
  service: z.string().nullable(),
  environment: environmentSchema,
  framework: z.string().nullable(),
  podTier: z.string(),
  healthEndpoint: z.string(),
  healthRule: healthRuleSchema,
  port: z.int().nullable(),
  found: z.array(findingSchema).describe('What was found of the app, and why; empty when no files were given'),
  steps: z.array(plannedStepSchema),
  warnings: z.array(z.string()),
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
