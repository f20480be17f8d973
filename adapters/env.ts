import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { orgSlugSchema } from '../domain/org-slug.ts';
import { baseEnv } from './process/base-env.ts';
import { type EnvSource, readVariables } from './read-variables.ts';

/** The only reader of the process environment: one schema for each role, every bad variable reported at once. */

const port = z.coerce.number().int().min(1).max(65_535);
const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');
const text = z.string().min(1);
/** 32 bytes in base64 or hex; a comma list where the first seals and all open, so that a key can be rotated. */
const encryptionKeys = z
  .string()
  .transform((value) => value.split(',').map((part) => decodeKey(part.trim())))
  .refine((keys) => keys.every((key) => key.length === 32), 'a list of 32-byte keys in base64 or hex');

const temporal = {
  TEMPORAL_ADDRESS: text.default('localhost:7233'),
  TEMPORAL_NAMESPACE: text.default('default'),
};

const mongodbUri = z.string().regex(/^mongodb(\+srv)?:\/\/.+/, 'a mongodb:// address');

const shared = {
  MONGODB_URI: mongodbUri.default('mongodb://localhost:27017/builder'),
  ...temporal,
  DATA_DIR: text.default('.fairlead').transform((path) => resolve(path)),
  PLATFORM_DOMAIN: text.default('localhost'),
  PLATFORM_ORG: orgSlugSchema.default('platform'),
  EDGE_PORT: port.default(8000),
  CONFIG_ENCRYPTION_KEY: encryptionKeys.optional(),
  GIT_URL: z.url({ protocol: /^https?$/ }).optional(),
  ALLOW_LOCAL_SOURCES: flag.default(false),
  ENFORCE_MINIMUM_CATALOG_VERSION: flag.default(false),
  PLATFORM_COMMIT: text.default('unknown'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  // Kubernetes is the runtime of later work: asking for it must not silently run Docker instead.
  ENABLE_K8S_DEPLOY: flag
    .default(false)
    .refine((enabled) => !enabled, 'must be false: this version runs workloads on the Docker engine'),
};

const internalKey = z.string().min(32, 'at least 32 characters');
const baseUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));
const commaList = z.string().transform((value) => value.split(',').flatMap((part) => part.trim() || []));

/** What every HTTP service needs. */
const server = {
  HOST: text.default('127.0.0.1'),
  INTERNAL_SERVICE_KEY: internalKey,
  /** Addresses or networks of reverse proxies whose X-Forwarded-For is believed; also `loopback`. */
  TRUSTED_PROXIES: commaList.default([]),
};

const builderSchema = z.object({
  ...shared,
  PORT: port.default(3002),
  ...server,
  REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(1_200),
  /** Where clients reach the builder; without it, the address each request arrived on. */
  BUILDER_URL: baseUrl.optional(),
  /** Address of the identity provider; without it the builder knows the internal key alone. */
  IDP_URL: baseUrl.optional(),
  /** Its internal key; the builder's own when it is not set. */
  IDP_INTERNAL_KEY: internalKey.optional(),
});

const idpSchema = z.object({
  ...server,
  IDP_PORT: port.default(3001),
  /** The issuer: where browsers and services reach the identity provider. */
  IDP_URL: baseUrl.default('http://localhost:3001'),
  MONGODB_URI: shared.MONGODB_URI,
  /** A database server of its own; otherwise MONGODB_URI's, with the database `identity`. */
  IDP_MONGODB_URI: mongodbUri.optional(),
  IDP_ENCRYPTION_KEY: encryptionKeys,
  PLATFORM_NAME: text.max(60).default('Fairlead'),
  PLATFORM_ORG: shared.PLATFORM_ORG,
  /** Where browsers reach the audit ledger, whose pages people sign in to. */
  AUDIT_URL: baseUrl.optional(),
  /** Audiences outside the installation that service tokens may be made for. */
  IDP_EXTERNAL_AUDIENCES: commaList.default([]),
  /** `smtp://` or `smtps://` address of the mail server; without it mail is captured in the outbox. */
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  /** Sends to a mail server that offers no encryption: for one on the own network only. */
  SMTP_ALLOW_PLAINTEXT: flag.default(false),
  /** Shows captured mail to whoever sits at this machine; its links sign in as anybody. */
  OPEN_OUTBOX: flag.default(false),
  MAIL_FROM: z.email().default('fairlead@localhost.localdomain'),
  REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(12_000),
  DATA_DIR: shared.DATA_DIR,
  PLATFORM_COMMIT: shared.PLATFORM_COMMIT,
  LOG_LEVEL: shared.LOG_LEVEL,
});

const auditSchema = z.object({
  ...server,
  ...temporal,
  AUDIT_PORT: port.default(3005),
  /** Where services and auditors reach the ledger; without its scheme it is the name in checkpoints. */
  AUDIT_URL: baseUrl.default('http://localhost:3005'),
  MONGODB_URI: shared.MONGODB_URI,
  /** A database server of its own; otherwise MONGODB_URI's, with the database `audit`. */
  AUDIT_MONGODB_URI: mongodbUri.optional(),
  /** Seeds of Ed25519 keys that sign receipts and checkpoints: the first signs, all are published. */
  AUDIT_SIGNING_KEY: encryptionKeys,
  /** Events of one caller in a minute. */
  AUDIT_EMIT_RATE_LIMIT: z.coerce.number().int().min(1).default(600),
  /** Address of the identity provider; without it the ledger knows the internal key alone. */
  IDP_URL: baseUrl.optional(),
  IDP_INTERNAL_KEY: internalKey.optional(),
  PLATFORM_ORG: shared.PLATFORM_ORG,
  /** By address, where many services may stand behind one: the emit limit is the one that counts. */
  REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(120_000),
  PLATFORM_COMMIT: shared.PLATFORM_COMMIT,
  LOG_LEVEL: shared.LOG_LEVEL,
});

/** What the process of the HTTP services itself reads, whichever of them it runs. */
const apiProcessSchema = z.object({
  // A bad one is reported by the services, together with everything else.
  LOG_LEVEL: shared.LOG_LEVEL.catch('info'),
  INTERNAL_SERVICE_KEY: text.optional(),
  IDP_INTERNAL_KEY: text.optional(),
  IDP_ENCRYPTION_KEY: text.optional(),
  CONFIG_ENCRYPTION_KEY: text.optional(),
  AUDIT_SIGNING_KEY: text.optional(),
  SMTP_URL: text.optional(),
});

/** Chains that the audit ledger anchors on. Their addresses may hold keys of providers: no message repeats them. */
const auditChains = z
  .string()
  .transform((value, context) => {
    try {
      return JSON.parse(value) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'not JSON' });
      return z.NEVER;
    }
  })
  .pipe(
    z
      .array(
        z.strictObject({
          chainId: z.int().min(1),
          rpcUrl: z.url({ protocol: /^https?$/ }),
          contract: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'an address'),
          confirmations: z.int().min(1).max(1_000).default(3),
          explorerUrl: baseUrl.nullable().default(null),
        }),
      )
      .refine((chains) => new Set(chains.map(({ chainId }) => chainId)).size === chains.length, 'a chain twice'),
  );

const workerSchema = z.object({
  ...shared,
  WORKSPACE_DIR: text.default('/tmp/iec-builds').transform((path) => resolve(path)),
  WORKFLOW_BUNDLE: text.optional(),
  DOCKER_HOST: text.optional(),
  DOCKER_CLI: text.optional(),
  DOCKER_REGISTRY: text.default('localhost:5050'),
  DOCKER_REGISTRY_USER: text.optional(),
  DOCKER_REGISTRY_TOKEN: text.optional(),
  STACK_ID: z
    .string()
    .regex(/^[a-z0-9]{1,16}$/, '1 to 16 lower-case letters and digits')
    .default('default'),
  BASE_IMAGE_STAND_INS: flag.default(false),
  ENABLE_AUTO_DOCKERFILE: flag.default(true),
  SECRETS_ENABLED: flag.default(false),
  BUILD_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(3),
  MIN_FREE_DISK_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .default(2 * 1024 ** 3),
  /** Free space below which old images are pruned; twice MIN_FREE_DISK_BYTES when it is not set. */
  LOW_DISK_BYTES: z.coerce.number().int().min(0).optional(),
  /** How long a new workload may take to answer its health endpoint. */
  READINESS_TIMEOUT_SECONDS: z.coerce.number().int().min(1).max(300).default(120),
  XDG_CACHE_HOME: text.optional(),
  HOME: text.default('/root'),
  GIT_TOKEN: text.optional(),
  GITHUB_TOKEN: text.optional(),
  IDP_URL: baseUrl.optional(),
  /** Key of the identity provider, whose clients deploys make; the installation's own when it is not set. */
  IDP_INTERNAL_KEY: internalKey.optional(),
  INTERNAL_SERVICE_KEY: internalKey.optional(),
  REGISTRY_URL: z.url().optional(),
  GATEWAY_URL: z.url().optional(),
  AUDIT_URL: z.url().optional(),
  AUDIT_MONGODB_URI: mongodbUri.optional(),
  AUDIT_SIGNING_KEY: encryptionKeys.optional(),
  /** `[{ chainId, rpcUrl, contract, confirmations, explorerUrl? }]` */
  AUDIT_CHAINS: auditChains.default([]),
  /** Private key of the account that anchors; 32 bytes. */
  AUDIT_SIGNER_KEY: encryptionKeys.refine((keys) => keys.length === 1, 'one key').optional(),
  /** What a unit of gas may cost; above it anchoring waits for another hour. */
  AUDIT_MAX_FEE_GWEI: z.coerce.number().int().min(1).default(200),
  WALLET_SERVICE_URL: z.url().optional(),
  PLATFORM_DOOR: text.optional(),
});

const edgeSchema = z.object({
  EDGE_PORT: port.default(8000),
  /** Unix socket by which workloads reach what listens on the loopback: see adapters/edge-router/platform-door.ts. */
  PLATFORM_DOOR: text.optional(),
  IDP_URL: baseUrl.optional(),
  AUDIT_URL: baseUrl.optional(),
  HOST: text.default('127.0.0.1'),
  DATA_DIR: shared.DATA_DIR,
  PLATFORM_DOMAIN: shared.PLATFORM_DOMAIN,
});

const cliSchema = z.object({
  FAIRLEAD_URL: z.url().optional(),
  FAIRLEAD_KEY: text.optional(),
  /** The audit ledger that belongs to that API. */
  FAIRLEAD_AUDIT_URL: baseUrl.optional(),
  NO_COLOR: z.string().optional(),
  CI: z.string().optional(),
  XDG_CONFIG_HOME: text.optional(),
  /** Whether a person sits in front of a browser here. */
  DISPLAY: text.optional(),
  WAYLAND_DISPLAY: text.optional(),
  SSH_CONNECTION: text.optional(),
  SSH_TTY: text.optional(),
});

export type BuilderEnv = z.infer<typeof builderSchema>;
export type IdpEnv = z.infer<typeof idpSchema>;
export type AuditEnv = z.infer<typeof auditSchema>;
export interface ApiProcessEnv {
  readonly LOG_LEVEL: z.infer<typeof shared.LOG_LEVEL>;
  /** Values that must never be in a line of the log. */
  readonly secrets: readonly string[];
}
export type WorkerEnv = z.infer<typeof workerSchema> & { readonly subprocessEnv: Readonly<Record<string, string>> };
export type EdgeEnv = z.infer<typeof edgeSchema>;
export type CliEnv = z.infer<typeof cliSchema>;

/** What the builder's API needs. @throws VALIDATION_FAILED listing every bad variable. */
export const readBuilderEnv = (source: EnvSource = process.env): BuilderEnv => readVariables(builderSchema, source);

/** What the identity provider needs. @throws VALIDATION_FAILED listing every bad variable. */
export const readIdpEnv = (source: EnvSource = process.env): IdpEnv => readVariables(idpSchema, source);

/** What the audit ledger needs. @throws VALIDATION_FAILED listing every bad variable. */
export const readAuditEnv = (source: EnvSource = process.env): AuditEnv => readVariables(auditSchema, source);

/** What the process of the HTTP services needs. @throws VALIDATION_FAILED */
export const readApiProcessEnv = (source: EnvSource = process.env): ApiProcessEnv => {
  const { LOG_LEVEL, ...values } = readVariables(apiProcessSchema, source);
  return { LOG_LEVEL, secrets: Object.values(values).filter((value) => value !== undefined) };
};

/** What a worker needs, with the few variables that subprocesses may see. @throws VALIDATION_FAILED */
export const readWorkerEnv = (source: EnvSource = process.env): WorkerEnv => ({
  ...readVariables(workerSchema, source),
  subprocessEnv: baseEnv(source),
});

/** What the local edge router needs. @throws VALIDATION_FAILED */
export const readEdgeEnv = (source: EnvSource = process.env): EdgeEnv => readVariables(edgeSchema, source);

/** What the command line reads. @throws VALIDATION_FAILED */
export const readCliEnv = (source: EnvSource = process.env): CliEnv => readVariables(cliSchema, source);

/** Names a process in logs and in the Temporal UI. */
export const processIdentity = (role: string): string => `${role}@${hostname()}:${process.pid}`;

function decodeKey(encoded: string): Buffer {
  return /^[0-9a-f]{64}$/i.test(encoded) ? Buffer.from(encoded, 'hex') : Buffer.from(encoded, 'base64');
}
