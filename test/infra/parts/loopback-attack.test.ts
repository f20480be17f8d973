import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { BSON } from 'mongodb';
import { loopbackAttack, type Target } from '../../support/loopback-attack.ts';
import { startTemporal } from '../../support/start-temporal.ts';

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('the attack finds data where a server gives it to anybody, and says so', async () => {
  const temporal = await startTemporal();
  const documents = Buffer.alloc(200);
  const openMongo = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([documents, BSON.serialize({ databases: [] })])));
  });
  const openPage = createHttpServer((_request, response) => response.end('data'));
  const closedPage = createHttpServer((_request, response) => response.writeHead(401).end());
  try {
    const targets: readonly Target[] = [
      { name: 'temporal', port: Number(temporal.address.split(':')[1]), tries: 'grpc' },
      { name: 'mongo', port: await portOf(openMongo), tries: 'mongo' },
      { name: 'page', port: await portOf(openPage), tries: ['/'] },
      { name: 'closed page', port: await portOf(closedPage), tries: ['/'] },
      { name: 'nobody', port: 1, tries: ['/'] },
    ];
    const child = spawn(process.execPath, ['--input-type=module'], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(loopbackAttack(targets, 'machine'));
    const lines = (await text(child.stdout)).trim().split('\n');
    const said = ['temporal: data', 'mongo: data', 'page: data', 'closed page: none', 'nobody: unreachable', 'is over'];
    assert.deepEqual(
      lines,
      said.map((line) => `ATTACK ${line}`),
    );
  } finally {
    for (const server of [openMongo, openPage, closedPage]) server.close();
    await temporal.stop();
  }
});
