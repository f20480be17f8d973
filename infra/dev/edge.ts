import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createEdgeServer } from '../../adapters/edge-router/edge-server.ts';
import { createPlatformProxy } from '../../adapters/edge-router/platform-proxy.ts';
import { readEdgeEnv } from '../../adapters/env.ts';
import { createHostProcess } from '../../adapters/process/host-process.ts';
import { addressesForWorkloads } from '../../domain/service-addresses.ts';

/** The local router as a process of its own: a restart of API or worker interrupts no request to a service. */
const env = readEdgeEnv();
const host = createHostProcess();
const onError = (error: unknown): void => {
  process.stderr.write(`edge: ${error instanceof Error ? error.message : String(error)}\n`);
};
const proxy = env.PLATFORM_SOCKET === undefined ? null : await openPlatformProxy(env.PLATFORM_SOCKET);
const edge = createEdgeServer({ routesDirectory: join(env.DATA_DIR, 'routes'), domain: env.PLATFORM_DOMAIN, onError });
edge.server.once('error', (error: NodeJS.ErrnoException) => {
  const inUse = error.code === 'EADDRINUSE';
  const why = inUse ? `port ${env.EDGE_PORT} is in use; stop what uses it or set EDGE_PORT` : error.message;
  process.stderr.write(`edge: ${why}\n`);
  process.exit(1);
});
edge.server.listen(env.EDGE_PORT, env.HOST, () => host.ready());

await host.stopRequested;
await Promise.all([edge.close(5_000), proxy?.close(5_000)]);
process.exit(0);

/** Opens the platform proxy: the only way from workloads to a platform that listens on loopback. */
async function openPlatformProxy(path: string) {
  const addresses = addressesForWorkloads(env.urls);
  const opened = createPlatformProxy({ addresses, onError });
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
