import { join } from 'node:path';
import { createEdgeServer } from '../../adapters/edge-router/edge-server.ts';
import { readEdgeEnv } from '../../adapters/env.ts';
import { createHostProcess } from '../../adapters/process/host-process.ts';

/** The local router as a process of its own: a restart of API or worker interrupts no request to a service. */
const env = readEdgeEnv();
const host = createHostProcess();
const edge = createEdgeServer({
  routesDirectory: join(env.DATA_DIR, 'routes'),
  domain: env.PLATFORM_DOMAIN,
  onError: (error) => process.stderr.write(`edge: ${error instanceof Error ? error.message : String(error)}\n`),
});
edge.server.once('error', (error: NodeJS.ErrnoException) => {
  const inUse = error.code === 'EADDRINUSE';
  const why = inUse ? `port ${env.EDGE_PORT} is in use; stop what uses it or set EDGE_PORT` : error.message;
  process.stderr.write(`edge: ${why}\n`);
  process.exit(1);
});
edge.server.listen(env.EDGE_PORT, env.HOST, () => host.ready());

await host.stopRequested;
await edge.close(5_000);
process.exit(0);
