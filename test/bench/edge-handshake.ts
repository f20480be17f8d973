import { once } from 'node:events';
import { connect } from 'node:tls';
import { setUpEdge } from './parts/edge-tls-setup.ts';
import { median } from './parts/median.ts';

/**
 * Handshakes a second of the router with 10,000 certificates, over those of a bare `node:https` with one: full handshakes,
 * of hosts by chance, and by the CPU of the process that serves, so that the clients on this machine do not count. Each host
 * was asked for once before; what that costs is printed beside it.
 */
export const needsStack = false;

const HOSTS = 10_000;
const BATCH = 200;
const ROUNDS = 7;

const { names, root, router, bare, stop } = await setUpEdge(HOSTS);
const anyHost = (): string => names[Math.floor(Math.random() * names.length)] ?? '';

async function shake(port: number, servername: string): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port, servername, ca: root, ALPNProtocols: ['http/1.1'] });
  await once(socket, 'secureConnect');
  socket.destroy();
}
/** Handshakes per second of the server's CPU. */
async function rate(server: typeof router, host: () => string): Promise<number> {
  const before = await server.cpu();
  for (let index = 0; index < BATCH; index += 1) await shake(server.tls, host());
  return (BATCH * 1e6) / ((await server.cpu()) - before);
}

const before = await router.cpu();
for (const host of names) await shake(router.tls, host);
const first = (HOSTS * 1e6) / ((await router.cpu()) - before);

const rates = { bare: [] as number[], router: [] as number[] };
for (let round = -1; round < ROUNDS; round += 1) {
  const own = await rate(bare, () => names[0] ?? '');
  const many = await rate(router, anyHost);
  if (round < 0) continue; // warm-up
  rates.bare.push(own);
  rates.router.push(many);
}
await stop();

const [own, many] = [median(rates.bare), median(rates.router)];
console.log('database: none');
console.log(`bare node:https, one certificate: ${own.toFixed(0)} handshakes a second of CPU`);
console.log(`router, any of ${HOSTS} hosts: ${many.toFixed(0)}`);
console.log(`router, each for the first time: ${first.toFixed(0)}`);
console.log(`edge-handshake-first: ${(first / own).toFixed(2)}`);
console.log(`edge-handshake: ${(many / own).toFixed(2)}`);
