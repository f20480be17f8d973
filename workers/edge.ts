import { chmod, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { join } from 'node:path';
import { createBuildProxy } from '../adapters/build-proxy/build-proxy.ts';
import type { BuildEgress } from '../adapters/build-proxy/egress-rules.ts';
import { engineEgress, engineProxySocket } from '../adapters/build-proxy/engine-proxy.ts';
import { npmRegistry } from '../adapters/build-proxy/package-registries.ts';
import { databaseSocket, engineOfTunnel } from '../adapters/docker/relay/database-routes.ts';
import { dependencySocket } from '../adapters/docker/relay/dependency-routes.ts';
import { createContextFinder } from '../adapters/edge-router/certificate-files.ts';
import { createDatabaseProxy } from '../adapters/edge-router/database-proxy.ts';
import { createDependencyProxy } from '../adapters/edge-router/dependency-proxy.ts';
import { createEdgeServer } from '../adapters/edge-router/edge-server.ts';
import { createPlatformProxy } from '../adapters/edge-router/platform-proxy.ts';
import { createTlsListener } from '../adapters/edge-router/tls-listener.ts';
import { readEdgeEnv, readSubprocessEnv } from '../adapters/env.ts';
import { startHealthServer } from '../adapters/process/health-server.ts';
import { createHostProcess } from '../adapters/process/host-process.ts';
import { systemLookup } from '../adapters/public-address.ts';
import { SNAPSHOT_FOLDER } from '../adapters/status-page/snapshot-files.ts';
import { addressesForWorkloads } from '../domain/service-addresses.ts';

/** The router as a process of its own: a restart of API or worker interrupts no request to a service. */
const env = readEdgeEnv();
const host = createHostProcess();
const onError = (error: unknown): void => {
  process.stderr.write(`edge: ${error instanceof Error ? error.message : String(error)}\n`);
};
const routesDirectory = join(env.DATA_DIR, 'routes');
const proxies = env.PLATFORM_SOCKET === undefined ? [] : await openWorkloadProxies(env.PLATFORM_SOCKET);
const buildProxies = env.BUILD_PROXY_SOCKET === undefined ? [] : await openBuildProxies(env.BUILD_PROXY_SOCKET);
const tlsPort = env.EDGE_TLS_PUBLIC_PORT ?? env.EDGE_TLS_PORT;
const edge = createEdgeServer({
  routesDirectory,
  domain: env.PLATFORM_DOMAIN,
  ...(tlsPort !== undefined && { tlsPort }),
  statusPage: statusPageOf(env),
  onError,
});
await listenOn(edge.server, { port: env.EDGE_PORT, variable: 'EDGE_PORT' });
const tls = env.EDGE_TLS_PORT === undefined ? null : await openTls(env.EDGE_TLS_PORT);
const health = env.EDGE_HEALTH_PORT === undefined ? null : await openHealth(env.EDGE_HEALTH_PORT);
host.ready();
health?.ready();

await host.stopRequested;
health?.stopping();
// Requests over TLS go the way of the others: it ends after them.
const ways = [...proxies, ...buildProxies].map((opened) => opened.close(5_000));
await Promise.all([(tls?.close(5_000) ?? Promise.resolve()).then(() => edge.close(5_000)), ...ways]);
process.exit(0);

/** Undefined where the status page has no host of its own. */
function statusPageOf({ STATUS_URL: statusUrl, PLATFORM_ORG: platformOrg, DATA_DIR, urls: { monitor } }: typeof env) {
  if (statusUrl === undefined || monitor === undefined) return undefined;
  return { statusUrl, monitorUrl: monitor, platformOrg, folder: join(DATA_DIR, SNAPSHOT_FOLDER) };
}

/** It needs nobody else: it serves from the files it has. */
function openHealth(port: number) {
  return startHealthServer({
    host: env.HEALTH_HOST,
    port,
    portVariable: 'EDGE_HEALTH_PORT',
    check: async () => undefined,
  });
}

/** It refuses every handshake until there is a certificate: it may listen from the start. */
async function openTls(port: number) {
  const opened = createTlsListener({ forwarding: edge, contextOf: createContextFinder(routesDirectory), onError });
  await listenOn(opened.server, { port, variable: 'EDGE_TLS_PORT' });
  return opened;
}

/** Ends this process where somebody else has the port. */
async function listenOn(server: NetServer, { port, variable }: { readonly port: number; readonly variable: string }) {
  const listening = Promise.withResolvers<void>();
  server.once('error', (error: NodeJS.ErrnoException) => {
    const inUse = error.code === 'EADDRINUSE';
    const why = inUse ? `port ${port} is in use; stop what uses it or set ${variable}` : error.message;
    process.stderr.write(`edge: ${why}\n`);
    process.exit(1);
  });
  server.listen(port, env.HOST, () => listening.resolve());
  await listening.promise;
}

/** Opens the only ways from workloads to a platform that listens on loopback, to services that they depend on, and to their databases. */
async function openWorkloadProxies(path: string) {
  const servers = {
    postgres: { host: env.DB_POSTGRES_HOST, port: env.DB_POSTGRES_PORT },
    mongodb: { host: env.DB_MONGODB_HOST, port: env.DB_MONGODB_PORT },
    redis: { host: env.DB_REDIS_HOST, port: env.DB_REDIS_PORT },
    neo4j: { host: env.DB_NEO4J_HOST, port: env.DB_NEO4J_PORT },
  };
  return Promise.all([
    listenAt(path, createPlatformProxy({ addresses: addressesForWorkloads(env.urls), onError })),
    listenAt(dependencySocket(path), createDependencyProxy({ routesDirectory, onError })),
    listenAt(databaseSocket(path), createDatabaseProxy({ engineOf: engineOfTunnel, servers })),
  ]);
}

/** Opens the proxies of builds: the way of RUN steps to package registries, and that of the engine to images. */
async function openBuildProxies(path: string) {
  const processEnv = readSubprocessEnv();
  let known: Promise<BuildEgress> | null = null;
  // npm takes half a second to say which registry it is set to: the first build waits for that, not the start.
  const readEgress = async (): Promise<BuildEgress> => {
    const ofNpm = await npmRegistry(processEnv);
    return { registries: [...env.BUILD_REGISTRIES, ...(ofNpm === null ? [] : [ofNpm])], reach: env.BUILD_EGRESS };
  };
  const egress = (): Promise<BuildEgress> => {
    known ??= readEgress();
    return known;
  };
  const outbound = { lookup: systemLookup, env: processEnv, onError };
  const ofEngine = async (): Promise<BuildEgress> => engineEgress(await egress(), env.DOCKER_REGISTRY);
  return Promise.all([
    listenAt(path, createBuildProxy({ ...outbound, egress })),
    listenAt(engineProxySocket(path), createBuildProxy({ ...outbound, egress: ofEngine })),
  ]);
}

async function listenAt<Proxy extends { readonly server: Server }>(path: string, opened: Proxy): Promise<Proxy> {
  // What a killed process left would be in the way.
  await rm(path, { force: true });
  // Without it services are reached all the same: it is not worth the router.
  opened.server.once('error', onError);
  opened.server.listen(path, () => {
    // The relays run as another user.
    chmod(path, 0o666).catch(onError);
  });
  return opened;
}
