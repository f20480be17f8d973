import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createArchiveStore } from '../adapters/archives/archive-store.ts';
import { equalsSecret } from '../adapters/crypto/equals-secret.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { createEdgeRouter } from '../adapters/edge-router/route-files.ts';
import { type ApiEnv, processIdentity, readApiEnv } from '../adapters/env.ts';
import { createLogger } from '../adapters/logging/logger.ts';
import { createBuildLog } from '../adapters/mongo/build-logs.ts';
import { createBuildStore } from '../adapters/mongo/builds.ts';
import { connectMongo, type MongoConnection } from '../adapters/mongo/connect.ts';
import { createIndexes } from '../adapters/mongo/indexes.ts';
import { createReleaseStore } from '../adapters/mongo/releases.ts';
import { createServiceStore } from '../adapters/mongo/services.ts';
import { createHostProcess } from '../adapters/process/host-process.ts';
import { createTemporalClient } from '../adapters/temporal/client.ts';
import { createDeployCommands } from '../adapters/temporal/deploy-commands.ts';
import { createBuilderApp } from './builder-app.ts';
import { createInternalKeyAuth } from './http/caller.ts';
import { startServer } from './http/server.ts';
import { type ServiceName, selectServices } from './services.ts';

/**
 * The HTTP services in one process: `api/main.ts [--only builder]`. Says `ready` to its supervisor once it serves, and
 * drains and ends with 0 on SIGTERM, SIGINT, or when the supervisor's channel closes.
 */

const REQUESTS_PER_MINUTE = 1_200;
const DRAIN_MS = 10_000;
const now = () => new Date();

type Running = { readonly address: string; stop(): Promise<void> };

/** How each service of the table is started. */
const START: Readonly<Record<ServiceName, (env: ApiEnv, log: Logger) => Promise<Running>>> = { builder: startBuilder };

async function startBuilder(env: ApiEnv, log: Logger): Promise<Running> {
  const mongo = await connectMongo(env.MONGODB_URI, 'fairlead-api');
  const temporal = createTemporalClient({
    address: env.TEMPORAL_ADDRESS,
    namespace: env.TEMPORAL_NAMESPACE,
    identity: processIdentity('api'),
  });
  const stopping = new AbortController();
  const close = async (): Promise<void> => {
    await Promise.all([temporal.connection.close(), mongo.close()]);
  };
  try {
    await createIndexes(mongo.db);
    const app = createBuilderApp(builderDeps(env, mongo, createDeployCommands(temporal)), {
      authenticate: createInternalKeyAuth({ key: env.INTERNAL_SERVICE_KEY, org: env.PLATFORM_ORG, equalsSecret }),
      newId,
      log,
      requestsPerMinute: REQUESTS_PER_MINUTE,
      stopping: stopping.signal,
      health: {
        commit: env.PLATFORM_COMMIT,
        version: await ownVersion(),
        now,
        checks: {
          mongo: () => mongo.ping(),
          temporal: async () => {
            await temporal.withDeadline(Date.now() + 2_000, () => temporal.workflowService.getSystemInfo({}));
          },
        },
      },
    });
    const server = await startServer(app, { host: env.HOST, port: env.PORT, stopping, graceMs: DRAIN_MS });
    const stop = async (): Promise<void> => {
      await server.stop();
      await close();
    };
    return { address: server.address, stop };
  } catch (error) {
    await close();
    throw error;
  }
}

function builderDeps(env: ApiEnv, { db }: MongoConnection, commands: ReturnType<typeof createDeployCommands>) {
  const router = createEdgeRouter({
    routesDirectory: join(env.DATA_DIR, 'routes'),
    domain: env.PLATFORM_DOMAIN,
    port: env.EDGE_PORT,
  });
  return {
    services: createServiceStore({ db, now }),
    builds: createBuildStore({ db, now }),
    releases: createReleaseStore({ db }),
    log: createBuildLog({ db, now }),
    archives: createArchiveStore({ directory: join(env.DATA_DIR, 'archives'), newId }),
    cipher: env.CONFIG_ENCRYPTION_KEY === undefined ? null : createSecretCipher(env.CONFIG_ENCRYPTION_KEY),
    commands,
    newId,
    now,
    publicUrl: router.url,
    platformGitUrl: env.GIT_URL ?? null,
    allowLocalSources: env.ALLOW_LOCAL_SOURCES,
    enforceMinimumCatalogVersion: env.ENFORCE_MINIMUM_CATALOG_VERSION,
  };
}

async function ownVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : null;
  return typeof version === 'string' ? version : 'unknown';
}

async function main(args: readonly string[]): Promise<void> {
  const names = selectServices(args);
  const env = readApiEnv();
  const log = createLogger({ name: 'api', level: env.LOG_LEVEL, secrets: [env.INTERNAL_SERVICE_KEY] });
  const running: Running[] = [];
  const stopAll = async (): Promise<void> => {
    await Promise.all(running.map((service) => service.stop()));
  };
  for (const name of names) {
    try {
      running.push(await START[name](env, log));
    } catch (error) {
      await stopAll();
      throw error;
    }
    log.info({ service: name, address: running.at(-1)?.address }, 'serving');
  }
  const host = createHostProcess();
  host.ready();
  await host.stopRequested;
  log.info('draining');
  await stopAll();
  log.info('stopped');
  process.exit(0);
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main(process.argv.slice(2)).catch(fail);
