import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { createContextFinder } from '../../../adapters/edge-router/certificate-files.ts';
import { createEdgeServer } from '../../../adapters/edge-router/edge-server.ts';
import { createTlsListener } from '../../../adapters/edge-router/tls-listener.ts';

/** What listens, in a process of its own: `router <folder>`, `bare <certificate>` or `upstream`. Its ports go to its parent. */
const [kind, path = ''] = process.argv.slice(2);
const answer: RequestListener = (request, response) => {
  request.resume();
  response.end('ok');
};
const portOf = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};
const onError = (error: unknown): void => void process.stderr.write(`${error}\n`);

if (kind === 'router') {
  const edge = createEdgeServer({ routesDirectory: path, domain: 'localhost', onError });
  const tls = createTlsListener({ forwarding: edge, contextOf: createContextFinder(path), onError });
  process.send?.({ plain: await portOf(edge.server), tls: await portOf(tls.server) });
} else if (kind === 'bare') {
  const pem = readFileSync(path, 'utf8');
  process.send?.({ plain: 0, tls: await portOf(createSecureServer({ key: pem, cert: pem }, answer)) });
} else {
  process.send?.({ plain: await portOf(createServer({ keepAliveTimeout: 65_000 }, answer)), tls: 0 });
}
process.once('disconnect', () => process.exit(0));
