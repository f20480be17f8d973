import { z } from 'zod';
import { BUILD_STATUSES } from '../domain/deploys/status.ts';

/**
 * What the command line reads of the API's replies. It takes what it needs and keeps the rest untouched, so that a
 * newer API with more fields is understood and `--json` shows them.
 */
const time = z.string();
const text = z.string();

export const stepReply = z.looseObject({
  key: text,
  title: text,
  stage: text,
  state: z.enum(['pending', 'running', 'completed', 'skipped', 'reused', 'failed', 'warned', 'cancelled']),
  reason: text.nullish(),
  attempt: z.number().nullish(),
  startedAt: time.nullish(),
  finishedAt: time.nullish(),
  warnings: z.array(text).optional(),
});

const failureReply = z.looseObject({
  code: text,
  message: text,
  step: text.nullish(),
  details: z.unknown().optional(),
});

export const buildReply = z.looseObject({
  id: text,
  service: text,
  environment: text,
  status: z.enum(BUILD_STATUSES),
  kind: text.nullish(),
  reason: text.nullish(),
  failure: failureReply.nullish(),
  steps: z.array(stepReply).optional(),
  warnings: z.array(text).optional(),
  diagnostics: z.array(z.looseObject({ title: text, lines: z.array(text) })).optional(),
  commitSha: text.nullish(),
  releaseId: text.nullish(),
  url: text.nullish(),
  supersededBy: text.nullish(),
  waiting: z.looseObject({ since: time, until: time }).nullish(),
  blockedGrants: z
    .array(z.looseObject({ id: text, service: text, state: text, scopes: z.array(text) }))
    .optional()
    .catch(undefined),
  createdAt: time,
  startedAt: time.nullish(),
  finishedAt: time.nullish(),
});

export const triggerReply = z.looseObject({
  buildId: text,
  deduplicated: z.boolean().default(false),
  supersededBuildId: text.nullish(),
});

export const planReply = z.looseObject({
  found: z.array(z.looseObject({ title: text, value: text, reason: text, setBy: text.optional() })).optional(),
  steps: z.array(stepReply),
  runtime: z.looseObject({ name: text, differences: z.array(text) }).optional(),
  warnings: z.array(text).optional(),
  framework: text.nullish(),
});

const deployedReply = z.looseObject({
  environment: text.optional(),
  url: text.nullish(),
  releaseId: text.nullish(),
  commitSha: text.nullish(),
  commit: text.nullish(),
  activatedAt: time.nullish(),
});

export const serviceReply = z.looseObject({
  id: text,
  name: text,
  org: text.nullish(),
  gitUrl: text.nullish(),
  branch: text.nullish(),
  appPath: text.nullish(),
  dockerfilePath: text.nullish(),
  port: z.number().nullish(),
  config: z.record(text, text).optional(),
  secrets: z.union([z.record(text, z.unknown()), z.array(text)]).optional(),
  lastBuildId: text.nullish(),
  environments: z.array(deployedReply).optional(),
  createdAt: time.nullish(),
  updatedAt: time.nullish(),
});

export const releaseReply = z.looseObject({
  id: text,
  buildId: text.nullish(),
  commitSha: text.nullish(),
  imageDigest: text.nullish(),
  active: z.boolean().optional(),
  createdAt: time.nullish(),
  activatedAt: time.nullish(),
});

const addedBy = { org: text.nullish(), actor: text };

export const clientReply = z.looseObject({
  clientId: text,
  name: text,
  description: text.nullish(),
  orgSlug: text.nullish(),
  clientType: text.nullish(),
  service: text.nullish(),
  environment: text.nullish(),
  redirectUris: z.array(text).default([]),
  allowedScopes: z.array(text).default([]),
  allowedGrantTypes: z.array(text).default([]),
  headlessEnabled: z.boolean().optional(),
  selfServiceEmail: z.boolean().optional(),
  trustedClient: z.boolean().optional(),
  trustedInviteSignup: z.boolean().optional(),
  accessTokenTtlSeconds: z.number().nullish(),
  refreshTokenTtlSeconds: z.number().nullish(),
  secrets: z
    .array(
      z.looseObject({
        id: text,
        createdAt: time.nullish(),
        lastUsedAt: time.nullish(),
        addedBy: z.looseObject(addedBy).nullish(),
      }),
    )
    .default([]),
  addedEntries: z.array(z.looseObject({ list: text, value: text, ...addedBy })).default([]),
  updatedAt: time.nullish(),
});

/** A client with a secret that is shown this once; null for a public client. */
export const newSecretReply = clientReply.extend({ clientSecret: text.nullish(), secretId: text.nullish() });

export const logLineReply = z.looseObject({
  seq: z.number().int(),
  time,
  step: text.nullish(),
  level: text,
  text,
});

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.looseObject({ items: z.array(item), nextCursor: text.nullish(), total: z.number().optional() });

export type StepReply = z.infer<typeof stepReply>;
export type BuildReply = z.infer<typeof buildReply>;
export type TriggerReply = z.infer<typeof triggerReply>;
export type ServiceReply = z.infer<typeof serviceReply>;
export type ReleaseReply = z.infer<typeof releaseReply>;
export type ClientReply = z.infer<typeof clientReply>;
export type NewSecretReply = z.infer<typeof newSecretReply>;
export type LogLineReply = z.infer<typeof logLineReply>;
