import { z } from 'zod';
import type { BuildRecord } from '../deploys/build.ts';
import { buildStatusSchema, failureReasonSchema } from '../deploys/schema.ts';
import { ENVIRONMENTS } from '../environment.ts';
import { environmentSchema } from '../environment-schema.ts';
import { GIT_PROVIDERS } from '../git-provider.ts';
import { CONNECTION_LIMITS, type GitConnection } from './connection.ts';
import { DELIVERY_KINDS, type GitDelivery, LOOK_REASONS, type LookReason } from './delivery.ts';
import { canDeliver } from './git-host-of.ts';
import { REF_KINDS } from './rule.ts';
import { SILENT_AFTER_DAYS, silentDays } from './silence.ts';

/** Shapes of connections and deliveries as the API takes and shows them (paths and bodies are ours). */

const time = z.iso.datetime();
const { pollMinutes, rules, services } = CONNECTION_LIMITS;

export const ruleSchema = z.strictObject({
  kind: z.enum(REF_KINDS).default('branch'),
  pattern: z.string().min(1).max(255).describe('Branch or tag, such as main or release/*; * stands for any characters'),
  environment: environmentSchema.default('prod'),
  paths: z
    .array(z.string().min(1).max(300))
    .max(50)
    .default([])
    .describe('Deploy only when something below changed: services/api/**, or !docs/** to leave paths out'),
});

export type RuleBody = z.output<typeof ruleSchema>;

const pollSchema = z
  .int()
  .min(pollMinutes.min)
  .max(pollMinutes.max)
  .nullable()
  .describe('Minutes between two looks where no hook can arrive; null for none. Ends with the first genuine delivery');

const proofSchema = z
  .enum(['signature', 'token'])
  .describe('`token` is the plain token of GitLab, which is weaker: it proves nothing about what was sent');

const secretSchema = z.string().min(1).max(200).describe('The secret of a hook that is there; one is made when absent');
const tokenSchema = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'a bare token, without blanks')
  .describe('API token of the provider, by which the hook is registered and statuses are set. It is never shown');

/** Members are shown it, and paths are put behind it. */
function isBareAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && url.username === '' && url.password === '' && !/[?#]/.test(text);
}

export const connectBodySchema = z.strictObject({
  service: z.string().min(1).max(64).describe('Id or name of the service that pushes deploy'),
  provider: z.enum(GIT_PROVIDERS),
  proof: proofSchema.default('signature'),
  repository: z
    .string()
    .min(1)
    .max(2_048)
    .optional()
    .describe('Address of the repository: that of the service, which gets it when it has none'),
  apiUrl: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .refine(isBareAddress, 'an address without credentials, query and fragment')
    .nullable()
    .default(null)
    .describe("The provider's API where it is not beside the repository"),
  rules: z.array(ruleSchema).min(1).max(rules).optional().describe('By default the branch of the service to prod'),
  secret: secretSchema.optional(),
  token: tokenSchema.optional(),
  pollMinutes: pollSchema.optional(),
});

export type ConnectBody = z.output<typeof connectBodySchema>;

export const changeConnectionBodySchema = z.strictObject({
  paused: z.boolean().optional(),
  pollMinutes: pollSchema.optional(),
  token: tokenSchema.nullable().optional().describe('null takes it away'),
});

export const serviceRulesBodySchema = z.strictObject({
  rules: z.array(ruleSchema).max(rules).describe('Replace those of the service; none disconnects it'),
});

export const rotateBodySchema = z.strictObject({
  secret: secretSchema.optional(),
  finish: z.boolean().default(false).describe('Take the older secret away, and make no new one'),
});

export const lookBodySchema = z.strictObject({
  ref: z.string().min(1).max(300).optional().describe('refs/heads/main or refs/tags/v1; all when absent'),
});

export const connectionViewSchema = z.object({
  id: z.string(),
  org: z.string(),
  repository: z.string(),
  provider: z.enum(GIT_PROVIDERS),
  proof: proofSchema,
  apiUrl: z.string().nullable(),
  hookUrl: z.string().describe('Where the provider sends deliveries'),
  canDeliver: z
    .boolean()
    .describe('False for a folder of the builder, and at a host whose API is none of ours: it is polled'),
  services: z
    .array(
      z.object({
        serviceId: z.string(),
        service: z.string(),
        rules: z.array(
          z.object({
            kind: z.enum(REF_KINDS),
            pattern: z.string(),
            environment: z.enum(ENVIRONMENTS),
            paths: z.array(z.string()),
          }),
        ),
      }),
    )
    .max(services),
  secrets: z.array(z.object({ id: z.string(), createdAt: time })).describe('Two while they are rotated; never values'),
  hasToken: z.boolean(),
  tokenProblem: z.object({ code: z.string(), message: z.string(), at: time }).nullable(),
  hookRegistered: z.boolean().describe('The platform registered the hook at the provider'),
  paused: z.boolean(),
  pollMinutes: z.int().nullable(),
  verifiedAt: time.nullable().describe('When a delivery first proved that the hook arrives'),
  lastDeliveryAt: time.nullable().describe('When the last genuine delivery came, to the minute; null before the first'),
  refusedDeliveries: z
    .int()
    .describe('Deliveries since then that proved nothing, to the minute; those that were answered 429 are not counted'),
  lastRefusedAt: time.nullable().describe('When the last of those came'),
  silentDays: z
    .int()
    .nullable()
    .describe(
      `Days without a genuine delivery although the platform registered the hook; null below ${SILENT_AFTER_DAYS}`,
    ),
  revision: z.int(),
  createdBy: z.string(),
  createdAt: time,
  updatedAt: time,
});

export type ConnectionView = z.output<typeof connectionViewSchema>;

/** With a secret that was just made; nothing shows it again. */
export const connectedReplySchema = z.object({
  connection: connectionViewSchema,
  secret: z
    .string()
    .nullable()
    .describe('Shown this once; null where the hook was registered with it, or it was given'),
  hookProblem: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why the hook could not be registered by the token'),
});

export type ConnectedReply = z.output<typeof connectedReplySchema>;

const reasonSchema = z.enum(Object.keys(LOOK_REASONS) as [LookReason, ...LookReason[]]);

export const deliveryViewSchema = z.object({
  id: z.string(),
  kind: z.enum(DELIVERY_KINDS),
  event: z.string(),
  providerId: z.string().nullable(),
  ref: z.string().nullable(),
  login: z.string().nullable().describe('Who pushed, at the provider'),
  alreadySeen: z.boolean().describe('The same was delivered in the seven days before'),
  receivedAt: time,
  state: z.enum(['waiting', 'decided']),
  outcomes: z.array(
    z.object({
      reason: reasonSchema,
      explanation: z.string(),
      ref: z.string().nullable(),
      service: z.string().nullable(),
      environment: z.enum(ENVIRONMENTS).nullable(),
      commit: z.string().nullable(),
      buildId: z.string().nullable(),
      build: z
        .object({ status: buildStatusSchema, reason: failureReasonSchema.nullable() })
        .nullable()
        .describe('Where that build is now; null for none, and for one that is not kept'),
      message: z.string().nullable(),
    }),
  ),
});

export const acceptedReplySchema = z.object({
  deliveryId: z.string(),
  alreadySeen: z.boolean(),
});

export function connectionView(
  connection: GitConnection,
  { hookUrl, now }: { readonly hookUrl: string; readonly now: Date },
): ConnectionView {
  const {
    id,
    org,
    repository,
    provider,
    proof,
    apiUrl,
    paused,
    pollMinutes: minutes,
    revision,
    createdBy,
  } = connection;
  const { tokenProblem, verifiedAt, lastDeliveryAt, refusedDeliveries, lastRefusedAt } = connection;
  const { createdAt, updatedAt } = connection;
  return {
    canDeliver: canDeliver(repository),
    ...{ id, org, repository, provider, proof, apiUrl, hookUrl, paused, pollMinutes: minutes, revision, createdBy },
    services: connection.services.map(({ serviceId, service, rules: own }) => ({
      serviceId,
      service,
      rules: own.map((rule) => ({ ...rule, paths: [...rule.paths] })),
    })),
    secrets: connection.secrets.map((secret) => ({ id: secret.id, createdAt: secret.createdAt.toISOString() })),
    hasToken: connection.token !== null,
    tokenProblem: tokenProblem === null ? null : { ...tokenProblem, at: tokenProblem.at.toISOString() },
    hookRegistered: connection.hookId !== null,
    verifiedAt: verifiedAt?.toISOString() ?? null,
    lastDeliveryAt: lastDeliveryAt?.toISOString() ?? null,
    refusedDeliveries,
    lastRefusedAt: lastRefusedAt?.toISOString() ?? null,
    silentDays: silentDays(connection, now),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export type DeliveryView = z.output<typeof deliveryViewSchema>;

/** @param builds those that its outcomes name, as they are now */
export function deliveryView(
  delivery: GitDelivery,
  builds: ReadonlyMap<string, Pick<BuildRecord, 'status' | 'reason'>>,
): DeliveryView {
  const { id, kind, event, providerId, ref, login, alreadySeen, receivedAt, state, outcomes } = delivery;
  return {
    ...{ id, kind, event, providerId, ref, login, alreadySeen, state, receivedAt: receivedAt.toISOString() },
    outcomes: outcomes.map((outcome) => ({
      ...outcome,
      explanation: LOOK_REASONS[outcome.reason],
      build: builds.get(outcome.buildId ?? '') ?? null,
    })),
  };
}
