import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engineOfTunnel, tunnelTo } from '../../../adapters/docker/relay/database-routes.ts';
import { createDatabaseProxy, type DatabaseProxy } from '../../../adapters/edge-router/database-proxy.ts';

describe('the proxy from workloads to their databases', () => {
  let folder: string;
  let socketPath: string;
  let database: Server;
  let proxy: DatabaseProxy;
  const connected: Socket[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-data-'));
    socketPath = join(folder, 'data.sock');
    database = createServer((socket) => {
      connected.push(socket.on('error', () => undefined));
      socket.on('data', (bytes) => socket.write(Buffer.concat([Buffer.from('heard '), bytes])));
    }).listen(0, '127.0.0.1');
    await once(database, 'listening');
    const { port } = database.address() as AddressInfo;
    const servers = { postgres: { host: '127.0.0.1', port }, redis: { host: '127.0.0.1', port: 1 } };
    proxy = createDatabaseProxy({ engineOf: engineOfTunnel, servers });
    proxy.server.listen(socketPath);
    await once(proxy.server, 'listening');
  });
  after(async () => {
    await proxy.close(0);
    database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = (path: string): Promise<{ status: number; socket: Socket }> =>
    new Promise((resolve, reject) => {
      const asked = request({ socketPath, method: 'CONNECT', path }).on('error', reject);
      asked.once('connect', ({ statusCode = 0 }, socket: Socket) => {
        resolve({ status: statusCode, socket: socket.on('error', () => undefined) });
      });
      asked.end();
    });

  it('passes bytes both ways as they are, and ends with either end', async () => {
    const { status, socket } = await open(tunnelTo('postgres'));
    assert.equal(status, 200);
    socket.write(Buffer.from([0, 255, 1]));
    const [answer] = await once(socket, 'data');
    assert.deepEqual(answer, Buffer.concat([Buffer.from('heard '), Buffer.from([0, 255, 1])]));
    const remote = connected.at(-1);
    socket.destroy();
    await once(remote as Socket, 'close');
    const second = await open(tunnelTo('postgres'));
    while (connected.length < 2) await once(database, 'connection');
    connected.at(-1)?.destroy();
    second.socket.resume();
    await once(second.socket, 'close');
  });

  it('leads to servers of databases alone, and says when one does not answer', async () => {
    const elsewhere = [
      '127.0.0.1:22',
      'postgres.internal:22',
      'mongodb.internal:27017',
      'localhost:5432',
      '',
      '/',
      'x',
    ];
    for (const path of elsewhere) assert.equal((await open(path)).status, 404, path);
    assert.equal((await open(tunnelTo('redis'))).status, 502);
    const status = await new Promise((resolve, reject) => {
      request({ socketPath, path: '/' }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
    assert.equal(status, 404);
  });
});
