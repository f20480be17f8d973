import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { it } from 'node:test';
import { promisify } from 'node:util';
import type { FindAddress } from '../../../adapters/edge-router/forward-request.ts';
import { createForwardingServer } from '../../../adapters/edge-router/forwarding-server.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { portOf } from './edge-fixture.ts';

async function portOfNobody(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server as Server);
  server.close();
  await once(server, 'close');
  return port;
}

it('a route that cannot be read when a request is sent once more is answered 503, and the router goes on', async () => {
  const address = new URL(`http://127.0.0.1:${await portOfNobody()}`);
  const errors: unknown[] = [];
  let looks = 0;
  const find: FindAddress = () => {
    looks += 1;
    if (looks % 2 === 0) throw new Error('EMFILE: too many open files');
    return { address };
  };
  const router = createForwardingServer({ find, onError: (error) => void errors.push(error) });
  router.server.listen(0, '127.0.0.1');
  await once(router.server, 'listening');
  try {
    for (let times = 0; times < 2; times += 1) {
      const { status } = await fetch(`http://127.0.0.1:${portOf(router.server)}/`);
      assert.equal(status, 503);
    }
    assert.match(String(errors[0]), /EMFILE/);
  } finally {
    await router.close(0);
  }
});

it('so many WebSockets are open to one service at once; the next may come when one has ended', async () => {
  const services = await Promise.all([agreeingService(), agreeingService()]);
  const find: FindAddress = ({ url }) => ({ address: url === '/other' ? services[1].address : services[0].address });
  const limits = { most: 10, mostOfOne: 10, mostToOne: 2 };
  const router = createForwardingServer({ find, onError: (error) => assert.fail(String(error)), webSockets: limits });
  router.server.listen(0, '127.0.0.1');
  await once(router.server, 'listening');
  const open = (path: string) => openWebSocket(portOf(router.server), path);
  try {
    const first = await open('/');
    assert.deepEqual([first.status, (await open('/')).status, (await open('/')).status], [101, 101, 503]);
    assert.equal((await open('/other')).status, 101);
    first.socket.destroy();
    await waitUntil('the next is let in', async () => (await open('/')).status === 101);
  } finally {
    await router.close(0);
    for (const { server } of services) server.closeAllConnections();
    for (const { server } of services) server.close();
  }
});

async function agreeingService(): Promise<{ readonly server: Server; readonly address: URL }> {
  const server = createHttpServer();
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end()).resume();
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, address: new URL(`http://127.0.0.1:${portOf(server)}`) };
}

async function openWebSocket(
  port: number,
  path: string,
): Promise<{ readonly status: number; readonly socket: Socket }> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  return { status: Number(String(answer).split(' ')[1]), socket };
}

it('a WebSocket that is refused leaves no connection behind, also where the client keeps it', async () => {
  const find: FindAddress = () => ({ error: { status: 404, title: 'Nothing is here', advice: 'Look.' } });
  const router = createForwardingServer({ find, onError: (error) => assert.fail(String(error)) });
  router.server.listen(0, '127.0.0.1');
  await once(router.server, 'listening');
  const connections = () => promisify(router.server.getConnections.bind(router.server))();
  // Half open: it never ends its own side.
  const socket = connect({ port: portOf(router.server), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  try {
    socket.write('GET / HTTP/1.1\r\nHost: a.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1.1 404/);
    await waitUntil('it is gone', async () => (await connections()) === 0);
  } finally {
    socket.destroy();
    await router.close(0);
  }
});
