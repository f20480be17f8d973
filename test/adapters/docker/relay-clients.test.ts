import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { freePort } from '../../support/free-port.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { stopChild } from './engine-fixture.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'adapters', 'docker', 'relay', 'relay-program.mjs');

it('one step of a build does not use up the connections of the others', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-relay-'));
  const socket = join(folder, 'proxy.sock');
  const proxy = createServer((peer) => void peer.on('error', () => undefined).write('hello'));
  await once(proxy.listen(socket), 'listening');
  const port = await freePort();
  const ROUTES = JSON.stringify([{ host: '127.0.0.1', port, socket }]);
  const relay = spawn(process.execPath, [PROGRAM], {
    env: { ROUTES, PER_CLIENT: '3' },
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
  const greedy: boolean[] = [];
  for (let opened = 0; opened < 5; opened += 1) greedy.push(await isServed('127.0.0.1'));
  assert.deepEqual(greedy, [true, true, true, false, false]);
  assert.equal(await isServed('127.0.0.2'), true);
  for (const client of clients) client.destroy();
  await waitUntil('a place is free again', () => isServed('127.0.0.1'));
});
