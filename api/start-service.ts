import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { equalsSecret } from '../adapters/crypto/equals-secret.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import type { ServiceSettings } from '../adapters/env/http-service.ts';
import { type EnvSection, processIdentity, type ReadSection } from '../adapters/env.ts';
import type { ProcessMetrics } from '../adapters/metrics/process-metrics.ts';
import { connectMongo, type MongoConnection } from '../adapters/mongo/connect.ts';
import { ownVersion } from '../adapters/own-version.ts';
import { createTemporalClient } from '../adapters/temporal/client.ts';
import { defaultServiceUrl, type ServiceRow, serviceRow } from '../domain/services.ts';
import { createTokenVerifier } from '../sdk/index.ts';
import { type Authenticate, createInternalKeyAuth } from './http/caller.ts';
import type { HealthOptions } from './http/health.ts';
import { DRAIN_MS, type RunningService, startServer } from './http/server.ts';
import { createTokenAuth } from './http/token-auth.ts';
import type { ServiceAppOptions, ServiceDefinition } from './service-definition.ts';

const TEMPORAL_ANSWERS_WITHIN_MS = 2_000;
const now = () => new Date();
/** A key that is sent is no credential. */
const NO_KEY: Authenticate = async () => null;

export interface ServiceEnv<Section extends EnvSection> {
  readonly settings: ServiceSettings;
  readonly own: ReadSection<Section>;
}

/**
 * Starts a service of the table on its port: database, Temporal, callers, health, drain. It owns all of that and closes
 * it in reverse order, each once: when the service stops, and when a later step of the start fails.
 * @param metrics of the process, where somebody reads them
 * @throws UNAVAILABLE when the database is away; CONFLICT when the port is in use; whatever `compose` throws
 */
export async function startService<Section extends EnvSection>(
  definition: ServiceDefinition<Section>,
  env: ServiceEnv<Section>,
  log: Logger,
  metrics: ProcessMetrics | null = null,
): Promise<RunningService> {
  const opened = new AsyncDisposableStack();
  try {
    const address = await open(definition, env, { log, opened, metrics });
    return { address, stop: () => opened.disposeAsync() };
  } catch (error) {
    // What cannot be closed must not hide why the start failed.
    await opened.disposeAsync().catch((err: unknown) => log.error({ err }, 'not closed'));
    throw error;
  }
}

/** @returns the address it listens on */
async function open<Section extends EnvSection>(
  definition: ServiceDefinition<Section>,
  { settings, own }: ServiceEnv<Section>,
  { log, opened, metrics }: Pick<Parts, 'log' | 'opened' | 'metrics'>,
): Promise<string> {
  const row: ServiceRow = serviceRow(definition.name);
  const mongo = await connectDatabase(row, settings, opened);
  if (mongo !== null) metrics?.pool(row.name, () => mongo.pool());
  const temporal = lazyTemporal(row, settings, opened);
  const stopping = new AbortController();
  const { app, upgrade } = await definition.compose({
    env: own,
    settings,
    publicUrl: settings.urls[definition.name] ?? defaultServiceUrl({ defaultPort: settings.port }),
    mongo,
    temporal,
    app: await appOptions(definition, { row, settings, mongo, temporal, log, stopping, opened, metrics }),
    metrics,
    log,
    stopping: stopping.signal,
    opened,
  });
  const warning = warnOfOneAddress(row, settings);
  if (warning !== null) log.warn({ service: row.name }, warning);
  const { host, port } = settings;
  const { portVariable } = row;
  const server = await startServer(app, { host, port, portVariable, stopping, graceMs: DRAIN_MS, upgrade });
  opened.defer(() => server.stop());
  return server.address;
}

async function connectDatabase(
  { name }: ServiceRow,
  { mongo: database }: ServiceSettings,
  opened: AsyncDisposableStack,
): Promise<MongoConnection | null> {
  if (database === null) return null;
  const mongo = await connectMongo(database.uri, `fairlead-${name}`, database.database);
  opened.defer(() => mongo.close());
  return mongo;
}

/** Behind a proxy that is not known, all clients have its address: they share every limit, and records name nobody. */
function warnOfOneAddress({ name, baseUrlVariable }: ServiceRow, settings: ServiceSettings): string | null {
  const { urls, trustedProxies } = settings;
  const isBehindProxy = Object.entries(urls).some(([service, url]) => service === name && url.startsWith('https:'));
  if (!isBehindProxy || trustedProxies.length > 0) return null;
  return `${baseUrlVariable} is https, so a reverse proxy is in front, and TRUSTED_PROXIES names none: all clients count as one address. Set TRUSTED_PROXIES to the addresses of the proxy, such as loopback`;
}

/**
 * One client, made when it is first asked for. Its closing takes its place now: asked for by a request, it is still open
 * until the last request has ended.
 */
function lazyTemporal(row: ServiceRow, { temporal }: ServiceSettings, opened: AsyncDisposableStack): () => Client {
  let client: Client | undefined;
  opened.defer(() => client?.connection.close());
  return () => {
    client ??= createTemporalClient({ ...temporal, identity: processIdentity(row.name) });
    return client;
  };
}

interface Parts {
  readonly row: ServiceRow;
  readonly settings: ServiceSettings;
  readonly mongo: MongoConnection | null;
  readonly temporal: () => Client;
  readonly log: Logger;
  readonly stopping: AbortController;
  readonly opened: AsyncDisposableStack;
  readonly metrics: ProcessMetrics | null;
}

async function appOptions(
  { needs, requestsPerMinute, name }: Pick<ServiceDefinition, 'needs' | 'requestsPerMinute' | 'name'>,
  parts: Parts,
): Promise<ServiceAppOptions> {
  const { row, settings, log, stopping } = parts;
  const checks = { mongo: async () => parts.mongo?.ping(), temporal: () => checkTemporal(parts.temporal()) };
  const health: HealthOptions = {
    commit: settings.commit,
    version: await ownVersion(),
    now,
    checks: Object.fromEntries(needs.map((need) => [need, checks[need]])),
  };
  const protectedResource = { issuer: settings.urls.idp ?? null, publicUrl: settings.urls[name] ?? null };
  return {
    authenticate: authentication(parts),
    newId,
    log,
    requestsPerMinute: settings.requestsPerMinute ?? requestsPerMinute,
    trustedProxies: settings.trustedProxies,
    stopping: stopping.signal,
    health,
    ...(parts.metrics === null ? {} : { meter: parts.metrics.requests(row.name) }),
    ...(row.platformClient === null ? {} : { protectedResource }),
  };
}

/** By the internal key, of a service that takes it; where the service has a platform client, by tokens for it too. */
function authentication({ row, settings, opened }: Parts): Authenticate {
  if (row.holdsNoKey === true) return async () => null;
  const { internalKey: key, platformOrg, urls } = settings;
  const internalKey = row.takesNoKey ? NO_KEY : createInternalKeyAuth({ key, org: platformOrg, equalsSecret });
  if (row.platformClient === null) return internalKey;
  if (urls.idp === undefined) return createTokenAuth({ internalKey, verifier: null, platformOrg });
  const verifier = createTokenVerifier({
    idpUrl: urls.idp,
    audience: row.platformClient,
    revocations: { internalKey: settings.providerKey },
  });
  opened.defer(() => verifier.close());
  return createTokenAuth({ internalKey, verifier, platformOrg });
}

async function checkTemporal(client: Client): Promise<void> {
  // The client takes a time of day.
  const deadline = Date.now() + TEMPORAL_ANSWERS_WITHIN_MS;
  await client.withDeadline(deadline, () => client.workflowService.getSystemInfo({}));
}
