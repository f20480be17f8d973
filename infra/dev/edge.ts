import { join } from 'node:path';
import { createEdgeServer } from '../../adapters/edge-router/edge-server.ts';
import { readEdgeEnv } from '../../adapters/env.ts';
import { createHostProcess } from '../../adapters/process/host-process.ts';

/** The local router as a process of its own: a restart of API or worker interrupts no request to a service. */
const env = readEdgeEnv();
const host = createHostProcess();
const server = createEdgeServer({
  routesDirectory: join(env.DATA_DIR, 'routes'),
  domain: env.PLATFORM_DOMAIN,
  onError: (error) => process.stderr.write(`edge: ${error instanceof Error ? error.message : String(error)}\n`),
});
server.listen(env.EDGE_PORT, env.HOST, () => host.ready());

await host.stopRequested;
server.close(() => process.exit(0));
server.closeIdleConnections();
setTimeout(() => server.closeAllConnections(), 5_000).unref();
