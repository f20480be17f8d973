import { chmod, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { createBuildProxy } from '../../adapters/build-proxy/build-proxy.ts';
import type { BuildEgress } from '../../adapters/build-proxy/egress-rules.ts';
import { engineEgress, engineProxySocket } from '../../adapters/build-proxy/engine-proxy.ts';
import { npmRegistry } from '../../adapters/build-proxy/package-registries.ts';
import { databaseSocket, engineOfTunnel } from '../../adapters/docker/relay/database-routes.ts';
import { dependencySocket } from '../../adapters/docker/relay/dependency-routes.ts';
import { createDatabaseProxy } from '../../adapters/edge-router/database-proxy.ts';
import { createDependencyProxy } from '../../adapters/edge-router/dependency-proxy.ts';
import { createEdgeServer } from '../../adapters/edge-router/edge-server.ts';
import { createPlatformProxy } from '../../adapters/edge-router/platform-proxy.ts';
import { readEdgeEnv, readSubprocessEnv } from '../../adapters/env.ts';
import { createHostProcess } from '../../adapters/process/host-process.ts';
import { systemLookup } from '../../adapters/public-address.ts';
import { addressesForWorkloads } from '../../domain/service-addresses.ts';

/** The local router as a process of its own: a restart of API or worker interrupts no request to a service. */
const env = readEdgeEnv();
const host = createHostProcess();
const onError = (error: unknown): void => {
  process.stderr.write(`edge: ${error instanceof Error ? error.message : String(error)}\n`);
};
const routesDirectory = join(env.DATA_DIR, 'routes');
const proxies = env.PLATFORM_SOCKET === undefined ? [] : await openWorkloadProxies(env.PLATFORM_SOCKET);
const buildProxies = env.BUILD_PROXY_SOCKET === undefined ? [] : await openBuildProxies(env.BUILD_PROXY_SOCKET);
const edge = createEdgeServer({ routesDirectory, domain: env.PLATFORM_DOMAIN, onError });
edge.server.once('error', (error: NodeJS.ErrnoException) => {
  const inUse = error.code === 'EADDRINUSE';
  const why = inUse ? `port ${env.EDGE_PORT} is in use; stop what uses it or set EDGE_PORT` : error.message;
  process.stderr.write(`edge: ${why}\n`);
  process.exit(1);
});
edge.server.listen(env.EDGE_PORT, env.HOST, () => host.ready());

await host.stopRequested;
await Promise.all([edge, ...proxies, ...buildProxies].map((opened) => opened.close(5_000)));
process.exit(0);

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
