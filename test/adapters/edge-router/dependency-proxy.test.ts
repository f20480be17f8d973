import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { createDependencyProxy, type DependencyProxy } from '../../../adapters/edge-router/dependency-proxy.ts';
import type { EdgeTimeouts } from '../../../adapters/edge-router/forwarding-server.ts';
import { createEdgeRouter } from '../../../adapters/edge-router/route-files.ts';
import type { EdgeRouter } from '../../../domain/deploys/workload-runtime.ts';
import { bodyOf, handshake } from './edge-fixture.ts';

const SHOP = 'shop.prod.internal:7600';

describe('the proxy from workloads to their dependencies', () => {
  const servers: Server[] = [];
  let folder: string;
  let socketPath: string;
  let router: EdgeRouter;
  let proxy: DependencyProxy;

  const upstream = async (name: string): Promise<string> => {
    const server = createServer(async (incoming, response) => {
      const { method, headers } = incoming;
      const body = await bodyOf(incoming).catch(() => 'a body that breaks off');
      response.end(`${name}: ${method} at ${headers.host} for ${headers['x-forwarded-host']}: ${body}`);
    });
    server.on('upgrade', (_request, socket: Socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nframes');
    });
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const route = async (service: string, environment: 'prod' | 'uat', epoch = 1) =>
    router.route(
      service,
      environment,
      { workloadId: 'w', address: await upstream(`${service} in ${environment}`) },
      epoch,
    );

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-edge-'));
    const routesDirectory = join(folder, 'routes');
    socketPath = join(folder, 'edge.sock');
    router = createEdgeRouter({ routesDirectory, domain: 'localhost', port: 1 });
    await route('shop', 'prod');
    await route('shop', 'uat');
    await route('secret', 'prod');
    proxy = createDependencyProxy({ routesDirectory, onError: () => undefined });
    await once(proxy.server.listen(socketPath), 'listening');
  });
  after(async () => {
    await proxy.close(0);
    for (const server of servers) server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens a tunnel as a relay does. */
  const tunnel = async (to: string): Promise<Socket> => {
    const asked = request({ socketPath, method: 'CONNECT', path: to, headers: { host: to } }).end();
    const [{ statusCode }, socket] = await once(asked, 'connect');
    assert.equal(statusCode, 200);
    return socket;
  };
  const through = async (to: string, host: string, body?: string) => {
    const socket = await tunnel(to);
    const method = body === undefined ? 'GET' : 'POST';
    const asked = request({ createConnection: () => socket, headers: { host }, method }).end(body);
    const [answer] = await once(asked, 'response');
    return { status: answer.statusCode, body: await bodyOf(answer) };
  };

  const listening = async (path: string, timeouts: Partial<EdgeTimeouts> = {}): Promise<DependencyProxy> => {
    const routesDirectory = join(folder, 'routes');
    const other = createDependencyProxy({ routesDirectory, onError: () => undefined, timeouts });
    await once(other.server.listen(path), 'listening');
    return other;
  };

  it('leads a tunnel to its service in its environment', async () => {
    const found = await through(SHOP, SHOP, 'an order');
    assert.deepEqual(found, { status: 200, body: `shop in prod: POST at ${SHOP} for ${SHOP}: an order` });
    const uat = 'shop.uat.internal:7600';
    assert.match((await through(uat, uat)).body, /^shop in uat/);
  });

  it('opens no other service to a tunnel, whatever host its requests name', async () => {
    for (const host of [
      'secret.prod.internal:7600',
      'shop.uat.internal:7600',
      'secret.prod.localhost:8000',
      'localhost:3001',
      '127.0.0.1',
      '169.254.169.254',
      '',
    ]) {
      const { status, body } = await through(SHOP, host);
      assert.deepEqual([status, body.includes('secret')], [404, false], host);
    }
  });

  it('takes each request of a kept-alive tunnel by itself', async () => {
    const socket = await tunnel(SHOP);
    let received = '';
    socket.setEncoding('utf8').on('data', (part) => {
      received += part;
    });
    const get = (host: string) => `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    socket.write(get(SHOP) + get(SHOP) + get('secret.prod.internal:7600'));
    await once(socket, 'close');
    assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404']);
    assert.doesNotMatch(received, /secret in prod/);
  });

  it('opens no tunnel but to services, and takes no request outside of one', async () => {
    for (const to of [
      '127.0.0.1:22',
      'localhost:3002',
      'shop.prod.localhost:8000',
      'a.b.prod.internal:1',
      '../x:1',
      'svc_1.localhost:3002',
    ]) {
      const asked = request({ socketPath, method: 'CONNECT', path: to, headers: { host: to } }).end();
      const [answer, socket] = await once(asked, 'connect');
      assert.equal(answer.statusCode, 404, to);
      socket.destroy();
    }
    const asked = request({ socketPath, path: '/', headers: { host: SHOP } }).end();
    const [answer] = await once(asked, 'response');
    assert.equal(answer.statusCode, 404);
    answer.resume();
  });

  it('passes WebSockets on', async () => {
    const socket = await tunnel(SHOP);
    socket.write(handshake(SHOP));
    assert.match(await text(socket), /^HTTP\/1\.1 101 [\s\S]*frames$/);
  });

  it('leads a tunnel to the service that it names by id, and to no later one of that name', async () => {
    const of = async (serviceId: string | undefined, epoch: number) => {
      const target = { workloadId: 'w', address: await upstream(serviceId ?? 'nobody said whose') };
      const owner = serviceId === undefined ? {} : { serviceId };
      await router.route('owned', 'prod', { ...owner, ...target }, epoch);
    };
    const host = 'owned.prod.internal:7600';
    const asked = (to: string) => through(to, host);
    await of('svc_first', 1);
    assert.match((await asked(`svc_first.${host}`)).body, /^svc_first/);
    await of('svc_second', 2);
    const { status, body } = await asked(`svc_first.${host}`);
    assert.deepEqual([status, body.includes('Another service has this name by now')], [404, true]);
    assert.match((await asked(`svc_second.${host}`)).body, /^svc_second/);
    assert.match((await asked(host)).body, /^svc_second/, 'a relay of an earlier version names none');
    await of(undefined, 3);
    assert.match((await asked(`svc_first.${host}`)).body, /^nobody said whose/, 'nor does a route of one');
  });

  const UNFINISHED = {
    'no request': '',
    'headers without an end': `GET / HTTP/1.1\r\nHost: ${SHOP}\r\nX-Slow: `,
    'a body without an end': `POST / HTTP/1.1\r\nHost: ${SHOP}\r\nContent-Length: 9\r\n\r\n1`,
  };
  for (const [what, sent] of Object.entries(UNFINISHED)) {
    it(`cuts a tunnel with ${what} off`, { timeout: 20_000 }, async () => {
      const path = join(folder, 'limited.sock');
      const limited = await listening(path, { headers: 300, request: 600 });
      const asked = request({ socketPath: path, method: 'CONNECT', path: SHOP, headers: { host: SHOP } }).end();
      const [, socket] = (await once(asked, 'connect')) as [unknown, Socket];
      socket.write(sent);
      assert.match(await text(socket), /^HTTP\/1\.1 408 /);
      await limited.close(0);
    });
  }

  it('ends idle tunnels when it closes, and waits for those that are at work alone', { timeout: 20_000 }, async () => {
    const path = join(folder, 'idle.sock');
    const other = await listening(path);
    const asked = request({ socketPath: path, method: 'CONNECT', path: SHOP, headers: { host: SHOP } }).end();
    const [, socket] = (await once(asked, 'connect')) as [unknown, Socket];
    socket.write(`GET / HTTP/1.1\r\nHost: ${SHOP}\r\n\r\n`);
    await once(socket, 'data');
    await other.close(600_000);
    socket.destroy();
  });

  it('leads an open tunnel to where the service is by then, or says that it is gone', async () => {
    const socket = await tunnel(SHOP);
    const ask = async () => {
      const asked = request({
        createConnection: () => socket,
        headers: { host: SHOP, connection: 'keep-alive' },
      }).end();
      const [answer] = await once(asked, 'response');
      return { status: answer.statusCode, body: await bodyOf(answer) };
    };
    assert.equal((await ask()).status, 200);
    await router.route('shop', 'prod', { workloadId: 'w2', address: await upstream('the new shop') }, 2);
    assert.match((await ask()).body, /^the new shop/);
    await router.unroute('shop', 'prod', 3);
    assert.equal((await ask()).status, 404);
    socket.destroy();
  });

  it('ends with its tunnels', async () => {
    const path = join(folder, 'other.sock');
    const other = await listening(path);
    const client = connect(path);
    client.write(`CONNECT ${SHOP} HTTP/1.1\r\nHost: ${SHOP}\r\n\r\n`);
    await once(client, 'data');
    const closed = once(client, 'close');
    await other.close(0);
    await closed;
  });
});
