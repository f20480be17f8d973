import { join } from 'node:path';
import type { Logger } from 'pino';
import { createArchiveStore } from '../adapters/archives/archive-store.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { createEdgeRouter } from '../adapters/edge-router/route-files.ts';
import { type BuilderEnv, processIdentity } from '../adapters/env.ts';
import { createClientAdministration } from '../adapters/idp/client-administration.ts';
import { createBuilderIndexes } from '../adapters/mongo/builder-database.ts';
import { createServiceStore } from '../adapters/mongo/catalog/services.ts';
import { connectMongo, type MongoConnection } from '../adapters/mongo/connect.ts';
import { createBuildLog } from '../adapters/mongo/deploys/build-logs.ts';
import { createBuildStore } from '../adapters/mongo/deploys/builds.ts';
import { createReleaseStore } from '../adapters/mongo/deploys/releases.ts';
import { createTemporalClient } from '../adapters/temporal/client.ts';
import { createDeployCommands } from '../adapters/temporal/deploy-commands.ts';
import type { ClientAdministration } from '../domain/oauth-clients/administration-port.ts';
import { PLATFORM_CLIENTS } from '../domain/oauth-clients/client.ts';
import { createBuilderApp } from './builder-app.ts';
import { DRAIN_MS, type RunningService, startServer } from './http/server.ts';
import { createTokenAuth } from './http/token-auth.ts';
import { createPlatformVerifier } from './platform-verifier.ts';
import { serviceOptions } from './start-service.ts';

const now = () => new Date();

/** Starts the builder on its port, with MongoDB and Temporal behind it. @throws UNAVAILABLE, CONFLICT */
export async function startBuilder(env: BuilderEnv, log: Logger): Promise<RunningService> {
  const mongo = await connectMongo(env.MONGODB_URI, 'fairlead-builder');
  const temporal = createTemporalClient({
    address: env.TEMPORAL_ADDRESS,
    namespace: env.TEMPORAL_NAMESPACE,
    identity: processIdentity('api'),
  });
  const stopping = new AbortController();
  const verifier = createPlatformVerifier(env, PLATFORM_CLIENTS.builder);
  const close = async (): Promise<void> => {
    verifier?.close();
    await Promise.all([temporal.connection.close(), mongo.close()]);
  };
  try {
    await createBuilderIndexes(mongo.db);
    const checks = {
      mongo: () => mongo.ping(),
      temporal: async () => {
        await temporal.withDeadline(Date.now() + 2_000, () => temporal.workflowService.getSystemInfo({}));
      },
    };
    const service = await serviceOptions(env, { log, stopping, now, checks });
    const app = createBuilderApp(builderDeps(env, mongo, createDeployCommands(temporal)), {
      ...service,
      authenticate: createTokenAuth({
        internalKey: service.authenticate,
        verifier,
        platformOrg: env.PLATFORM_ORG,
      }),
      protectedResource: { issuer: env.IDP_URL ?? null, publicUrl: env.BUILDER_URL ?? null },
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

/** OAuth clients are the identity provider's. */
function createClients(env: BuilderEnv): ClientAdministration | null {
  if (env.IDP_URL === undefined) return null;
  const internalKey = env.IDP_INTERNAL_KEY ?? env.INTERNAL_SERVICE_KEY;
  return createClientAdministration({ url: env.IDP_URL, internalKey });
}

function builderDeps(env: BuilderEnv, { db }: MongoConnection, commands: ReturnType<typeof createDeployCommands>) {
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
    clients: createClients(env),
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
