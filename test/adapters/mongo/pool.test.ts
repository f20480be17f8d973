import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, it } from 'node:test';
import { connectMongo, type MongoConnection } from '../../../adapters/mongo/connect.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';
import { waitUntil } from '../../support/wait-until.ts';

let mongo: TestMongo;
let connection: MongoConnection;
let proxy: Awaited<ReturnType<typeof startPausingProxy>>;
before(async () => {
  mongo = await startMongo();
  proxy = await startPausingProxy(new URL(mongo.uri));
  const uri = new URL(mongo.uri);
  uri.host = proxy.host;
  uri.searchParams.set('directConnection', 'true');
  connection = await connectMongo(uri.href, 'fairlead-test');
});
after(async () => {
  await connection?.close();
  proxy?.stop();
  await mongo?.stop();
});

/** Passes bytes on, and none to the server while it is paused. */
async function startPausingProxy(target: URL) {
  const clients = new Set<Socket>();
  let isPaused = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.pipe(upstream).pipe(client);
    clients.add(client);
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined).on('close', () => [client, upstream].map((one) => one.destroy()));
    }
    client.on('close', () => clients.delete(client));
    if (isPaused) client.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    pause(paused: boolean) {
      isPaused = paused;
      for (const client of clients) if (paused) client.pause();
      for (const client of clients) if (!paused) client.resume();
    },
    stop() {
      server.close();
      for (const client of clients) client.destroy();
    },
  };
}

it('the sizes of a pool are true: idle, with more calls than connections, and after a server that was cut off', async () => {
  const find = () => connection.db.collection('things').findOne({});
  await Promise.all(Array.from({ length: 60 }, find));
  const idle = connection.pool();
  assert.ok(idle.open >= 1 && idle.open <= 50, `${idle.open} open`);
  assert.deepEqual([idle.checkedOut, idle.waiting, idle.most], [0, 0, 50]);

  proxy.pause(true);
  const calls = Promise.allSettled(Array.from({ length: 80 }, find));
  await waitUntil('all connections are used', () => {
    const { checkedOut } = connection.pool();
    return checkedOut >= idle.open;
  });
  const busy = connection.pool();
  assert.equal(busy.checkedOut + busy.waiting, 80, JSON.stringify(busy));
  assert.ok(busy.checkedOut <= busy.open && busy.open <= 50, JSON.stringify(busy));
  assert.ok(busy.waiting >= 30, JSON.stringify(busy));
  proxy.pause(false);
  assert.ok((await calls).every(({ status }) => status === 'fulfilled'));
  assert.deepEqual([connection.pool().checkedOut, connection.pool().waiting], [0, 0]);

  proxy.pause(true);
  const cut = Promise.allSettled(Array.from({ length: 80 }, find));
  await waitUntil('calls are under way', () => connection.pool().waiting > 0);
  proxy.stop();
  await cut;
  await waitUntil('nothing is left', () => {
    const { open, checkedOut, waiting } = connection.pool();
    return open + checkedOut + waiting === 0;
  });
});
