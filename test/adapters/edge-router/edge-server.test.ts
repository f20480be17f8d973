import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer, get, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createEdgeServer } from '../../../adapters/edge-router/edge-server.ts';
import { parseHost } from '../../../adapters/edge-router/host-name.ts';
import { createEdgeRouter } from '../../../adapters/edge-router/route-files.ts';
import type { EdgeRouter } from '../../../domain/deploys/ports.ts';

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function listen(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return text;
}

describe('the edge router', () => {
  let directory: string;
  let edge: Server;
  let router: EdgeRouter;
  const errors: unknown[] = [];
  const upstreams: Server[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'edge-'));
    edge = await listen(
      createEdgeServer({ routesDirectory: directory, domain: 'localhost', onError: (error) => errors.push(error) }),
    );
    router = createEdgeRouter({ routesDirectory: directory, domain: 'localhost', port: portOf(edge) });
  });
  after(async () => {
    for (const server of [edge, ...upstreams]) {
      server.close();
      server.closeAllConnections();
    }
    await rm(directory, { recursive: true, force: true });
  });

  async function upstream(listener: RequestListener): Promise<{ address: string; server: Server }> {
    const server = await listen(createServer(listener));
    upstreams.push(server);
    return { server, address: `http://127.0.0.1:${portOf(server)}` };
  }

  function ask(host: string, options: { agent?: Agent; path?: string; headers?: Record<string, string> } = {}) {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
    get(
      {
        host: '127.0.0.1',
        port: portOf(edge),
        path: options.path ?? '/',
        agent: options.agent ?? false,
        headers: { host, ...options.headers },
      },
      (response) => bodyOf(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject),
    ).on('error', reject);
    return promise;
  }

  it('loses no request while the route is switched and the old workload closes', async () => {
    const start = (name: string) => upstream((_, response) => response.end(name));
    let current = await start('0');
    await router.route('busy', 'prod', { workloadId: '0', address: current.address });
    let done = false;
    const switching = (async () => {
      for (let turn = 1; turn <= 10; turn += 1) {
        const next = await start(String(turn));
        await router.route('busy', 'prod', { workloadId: String(turn), address: next.address });
        const old = current;
        current = next;
        await delay(60);
        old.server.close();
        old.server.closeIdleConnections();
      }
      done = true;
    })();
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    const failures: string[] = [];
    let sent = 0;
    const client = async (keepAlive: boolean) => {
      while (!done || sent < 1_000) {
        sent += 1;
        const { status, body } = await ask('busy.prod.localhost', keepAlive ? { agent } : {});
        if (status !== 200) failures.push(`${status} ${body}`);
        await delay(2);
      }
    };
    await Promise.all([switching, ...Array.from({ length: 32 }, (_, index) => client(index % 2 === 0))]);
    agent.destroy();
    assert.ok(sent >= 1_000, `${sent} requests`);
    assert.deepEqual(failures, []);
  });

  it('answers 404 with advice for an unknown host, as a page or as JSON', async () => {
    const json = await ask('nobody.prod.localhost');
    assert.equal(json.status, 404);
    assert.match(JSON.parse(json.body).advice, /fairlead deploy/);
    const page = await ask('nobody.prod.localhost', { headers: { accept: 'text/html' } });
    assert.match(page.body, /<h1>Nothing is deployed here/);
  });

  it('answers 502 when the workload is gone, and again 200 when the route leads to a live one', async () => {
    await router.route('gone', 'prod', { workloadId: 'x', address: 'http://127.0.0.1:1' });
    assert.equal((await ask('gone.prod.localhost')).status, 502);
    const { address } = await upstream((_, response) => response.end('back'));
    await router.route('gone', 'prod', { workloadId: 'y', address });
    assert.deepEqual(await ask('gone.prod.localhost'), { status: 200, body: 'back' });
    await router.unroute('gone', 'prod');
    assert.equal((await ask('gone.prod.localhost')).status, 404);
    assert.equal(await router.current('gone', 'prod'), null);
  });

  it('says itself for whom it forwards, and believes no client about it', async () => {
    const { address } = await upstream((incoming, response) => response.end(JSON.stringify(incoming.headers)));
    await router.route('headers', 'sandbox', { workloadId: 'x', address });
    const answer = await ask('headers.sandbox.localhost', {
      headers: { 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': 'https', forwarded: 'for=6.6.6.6' },
    });
    const headers = JSON.parse(answer.body);
    assert.equal(headers['x-forwarded-for'], '127.0.0.1');
    assert.equal(headers['x-forwarded-proto'], 'http');
    assert.equal(headers.forwarded, undefined);
    assert.equal(headers.host, 'headers.sandbox.localhost');
  });

  it('streams a request body to the workload and its answer back', async () => {
    const { address } = await upstream((incoming, response) => incoming.pipe(response));
    await router.route('echo', 'uat', { workloadId: 'x', address });
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
    const outgoing = request(
      { host: '127.0.0.1', port: portOf(edge), method: 'POST', headers: { host: 'echo.uat.localhost' } },
      resolve,
    );
    outgoing.write('first ');
    const response = await promise;
    outgoing.end('second');
    assert.equal(await bodyOf(response), 'first second');
  });

  it('passes a WebSocket upgrade through', async () => {
    const { address, server } = await upstream((_, response) => response.end());
    server.on('upgrade', (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
      socket.pipe(socket);
    });
    await router.route('socket', 'prod', { workloadId: 'x', address });
    const client = connect(portOf(edge), '127.0.0.1');
    client.write(
      'GET / HTTP/1.1\r\nHost: socket.prod.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
    let received = '';
    client.setEncoding('utf8').on('data', (part) => {
      received += part;
      if (part.includes('101')) client.write('ping');
      if (received.includes('ping')) client.end();
    });
    await once(client, 'close', { signal: AbortSignal.timeout(5_000) });
    assert.match(received, /^HTTP\/1\.1 101[\s\S]*ping$/);
  });

  it('probes through the public route and reports the commit', async () => {
    const { address } = await upstream((_, response) => response.end(JSON.stringify({ status: 'ok', commit: 'abc' })));
    await router.route('probe', 'prod', { workloadId: 'x', address });
    const probe = await router.probe('probe', 'prod', '/health', AbortSignal.timeout(5_000));
    assert.deepEqual(
      { ok: probe.ok, commit: probe.commit, status: probe.status },
      { ok: true, commit: 'abc', status: 200 },
    );
    assert.match(probe.summary, /GET http:\/\/probe\.prod\.localhost:\d+\/health answered 200/);
  });

  it('does not take a name that could leave the routes directory', async () => {
    await assert.rejects(router.route('../evil', 'prod', { workloadId: 'x', address: 'http://127.0.0.1:1' }), {
      code: 'VALIDATION_FAILED',
    });
  });
});

describe('parseHost', () => {
  const cases: readonly [string | undefined, string | null][] = [
    ['hello.prod.localhost:8000', 'hello/prod'],
    ['hello.sandbox.localhost', 'hello/sandbox'],
    ['HELLO.UAT.LOCALHOST.', 'hello/uat'],
    ['hello.localhost', 'hello/prod'],
    ['hello.dev.localhost', null],
    ['a.b.prod.localhost', null],
    ['localhost', null],
    ['hello.example.com', null],
    ['../x.prod.localhost', null],
    [undefined, null],
  ];
  for (const [host, expected] of cases) {
    it(`reads ${host} as ${expected}`, () => {
      const target = parseHost(host, 'localhost');
      assert.equal(target === null ? null : `${target.service}/${target.environment}`, expected);
    });
  }
});
