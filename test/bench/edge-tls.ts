import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { connect } from 'node:tls';
import { setUpEdge } from './parts/edge-tls-setup.ts';
import { median } from './parts/median.ts';

/**
 * CPU of the router per request over TLS, over that of one over plain HTTP: the same small request to the same service, on
 * connections that are kept. HTTP/2 is printed beside it.
 */
export const needsStack = false;

const BATCH = 500;
const ROUNDS = 7;

const { names, root, router, stop } = await setUpEdge(1);
const host = names[0] ?? '';
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const secureAgent = new SecureAgent({ keepAlive: true, maxSockets: 1 });
const at = { host: '127.0.0.1', headers: { host } };
const secure = { servername: host, ca: root };
const socket = connect({ host: '127.0.0.1', port: router.tls, ...secure, ALPNProtocols: ['h2'] });
await once(socket, 'secureConnect');
const session = connectHttp2(`https://${host}`, { createConnection: () => socket });

const ways = {
  plain: () => ended(request({ ...at, port: router.plain, agent })),
  tls: () => ended(secureRequest({ ...at, ...secure, port: router.tls, agent: secureAgent })),
  http2: async () => {
    const stream = session.request({ ':path': '/' });
    await once(stream.resume(), 'close');
  },
};

async function ended(asked: ReturnType<typeof request>): Promise<void> {
  asked.end();
  const [response] = await once(asked, 'response');
  if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
  await once(response.resume(), 'end');
}
/** µs of the router's CPU a request. */
async function cpu(ask: () => Promise<void>): Promise<number> {
  const before = await router.cpu();
  for (let index = 0; index < BATCH; index += 1) await ask();
  return ((await router.cpu()) - before) / BATCH;
}

const used = { plain: [] as number[], tls: [] as number[], http2: [] as number[] };
for (let round = -1; round < ROUNDS; round += 1) {
  for (const way of ['plain', 'tls', 'http2'] as const) {
    const figure = await cpu(ways[way]);
    if (round >= 0) used[way].push(figure);
  }
}
session.destroy();
for (const one of [agent, secureAgent]) one.destroy();
await stop();

const [plain, tls, http2] = [median(used.plain), median(used.tls), median(used.http2)];
console.log('database: none');
console.log(`plain HTTP: ${plain.toFixed(0)} µs of CPU a request`);
console.log(`TLS, HTTP/1.1: ${tls.toFixed(0)} µs`);
console.log(`TLS, HTTP/2: ${http2.toFixed(0)} µs`);
console.log(`edge-tls-http2: ${(http2 / plain).toFixed(2)}`);
console.log(`edge-tls: ${(tls / plain).toFixed(2)}`);
