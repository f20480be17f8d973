import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { it, type TestContext } from 'node:test';
import { freePort } from '../../support/free-port.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { stopChild } from './engine-fixture.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'adapters', 'docker', 'relay', 'relay-program.mjs');

/** A relay of these variables; `isServed` says whether a connection from an address is taken, and keeps it open. */
async function startRelay(t: TestContext, variables: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-relay-'));
  const socket = join(folder, 'proxy.sock');
  const proxy = createServer((peer) => void peer.on('error', () => undefined).write('hello'));
  await once(proxy.listen(socket), 'listening');
  const port = await freePort();
  const ROUTES = JSON.stringify([{ host: '127.0.0.1', port, socket }]);
  const relay = spawn(process.execPath, [PROGRAM], {
    env: { ROUTES, ...variables },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const clients: Socket[] = [];
  t.after(async () => {
    for (const client of clients) client.destroy();
    await stopChild(relay);
    proxy.close();
    await rm(folder, { recursive: true });
  });
  await once(relay.stdout, 'data');
  const isServed = async (localAddress: string): Promise<boolean> => {
    const client = connect({ host: '127.0.0.1', port, localAddress });
    clients.push(client);
    return await Promise.race([once(client, 'data').then(() => true), once(client, 'end').then(() => false)]).catch(
      () => false,
    );
  };
  return { isServed, hangUp: () => clients.forEach((client) => void client.destroy()) };
}

it('one step of a build does not use up the connections of the others', async (t) => {
  const { isServed, hangUp } = await startRelay(t, { PER_CLIENT: '3' });
  const greedy: boolean[] = [];
  for (let opened = 0; opened < 5; opened += 1) greedy.push(await isServed('127.0.0.1'));
  assert.deepEqual(greedy, [true, true, true, false, false]);
  assert.equal(await isServed('127.0.0.2'), true);
  hangUp();
  await waitUntil('a place is free again', () => isServed('127.0.0.1'));
});

it('one workload does not use up the connections of the others, whatever addresses it comes from', async (t) => {
  const { isServed, hangUp } = await startRelay(t, { CONNECTIONS: '3' });
  const greedy: boolean[] = [];
  for (let last = 1; last <= 5; last += 1) greedy.push(await isServed(`127.0.0.${last}`));
  assert.deepEqual(greedy, [true, true, true, false, false]);
  hangUp();
  await waitUntil('a place is free again', () => isServed('127.0.0.1'));
});

it('what leads inward finds a program on either address of the loopback, and closes what finds none', async (t) => {
  const isThere = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  for (const host of ['127.0.0.1', '::1'].filter((address) => isThere.includes(address))) {
    const program = createServer((peer) => void peer.end(`on ${host}`));
    const [port, loopbackPort] = [await freePort(), await freePort()];
    await once(program.listen(loopbackPort, host), 'listening');
    t.after(() => program.close());
    await startRelay(t, { ROUTES: JSON.stringify([{ host: '127.0.0.1', port, loopbackPort }]) });
    assert.equal(await text(connect(port, '127.0.0.1')), `on ${host}`);
    await once(program.close(), 'close');
    assert.equal(await text(connect(port, '127.0.0.1')), '', 'closed, and the relay goes on');
  }
});
