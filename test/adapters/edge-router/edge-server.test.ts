import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../support/wait-until.ts';
import { bodyOf, type EdgeFixture, handshake, makeEdgeFixture } from './edge-fixture.ts';

describe('the edge router', () => {
  let fx: EdgeFixture;
  before(async () => {
    fx = await makeEdgeFixture({ headers: 400, answer: 1_000 });
  });
  after(() => fx.end());

  async function route(service: string, listener: Parameters<EdgeFixture['upstream']>[0]) {
    const upstream = await fx.upstream(listener);
    await fx.router.route(service, 'prod', { workloadId: 'x', address: upstream.address }, 1);
    return upstream;
  }

  it('loses none of 1,000 requests while the route is switched 20 times and the old workloads close', async () => {
    const start = (name: string) =>
      fx.upstream((incoming, response) => {
        incoming.resume().once('end', () => response.end(name));
      });
    let current = await start('0');
    await fx.router.route('busy', 'prod', { workloadId: '0', address: current.address }, 1);
    let done = false;
    const closed: Promise<void>[] = [];
    const switching = (async () => {
      for (let turn = 1; turn <= 20; turn += 1) {
        const [old, next] = [current, await start(String(turn))];
        await fx.router.route('busy', 'prod', { workloadId: String(turn), address: next.address }, 1);
        current = next;
        closed.push(delay(300).then(() => void old.server.close()));
        await delay(50);
      }
      await Promise.all(closed);
      done = true;
    })();
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    const failures: string[] = [];
    let sent = 0;
    const client = async (index: number) => {
      const keepAlive = index % 2 === 0 ? { agent } : {};
      const post = index % 4 < 2 ? { method: 'POST', body: 'x'.repeat(2_000) } : {};
      while (!done || sent < 1_000) {
        sent += 1;
        const { status, body } = await fx.ask('busy.prod.localhost', { ...keepAlive, ...post });
        if (status !== 200) failures.push(`${status} ${body}`);
        await delay(3);
      }
    };
    await Promise.all([switching, ...Array.from({ length: 32 }, (_, index) => client(index))]);
    agent.destroy();
    assert.ok(sent >= 1_000, `${sent} requests`);
    assert.deepEqual(failures, []);
  });

  it('sends a request once more when the kept-alive connection is lost, and only one that may arrive twice', async () => {
    const seen: string[] = [];
    // Serves one request for each connection, and cuts the connection at the next one without an answer.
    await route('stale', (incoming, response) => {
      const { socket } = incoming;
      seen.push(incoming.method ?? '');
      if (socket.listenerCount('served') > 0) socket.destroy();
      else response.end('ok');
      socket.on('served', () => {});
    });
    assert.equal((await fx.ask('stale.localhost')).status, 200);
    assert.equal((await fx.ask('stale.localhost')).status, 200);
    assert.deepEqual(seen, ['GET', 'GET', 'GET']);
    assert.equal((await fx.ask('stale.localhost', { method: 'POST', body: 'pay' })).status, 200);
    assert.deepEqual(seen.slice(3), ['POST']);
    await route('cut', (incoming) => {
      seen.push(`cut ${incoming.method}`);
      incoming.socket.destroy();
    });
    assert.equal((await fx.ask('cut.localhost', { method: 'POST', body: 'pay' })).status, 502);
    assert.deepEqual(seen.slice(4), ['cut POST']);
  });

  it('answers 404 with advice for an unknown host, as a page or as JSON', async () => {
    const json = await fx.ask('nobody.prod.localhost');
    assert.equal(json.status, 404);
    assert.match(JSON.parse(json.body).advice, /fairlead deploy/);
    const page = await fx.ask('nobody.prod.localhost', { headers: { accept: 'text/html' } });
    assert.match(page.body, /<h1>Nothing is deployed here/);
    assert.equal((await fx.ask('localhost')).status, 404);
  });

  it('answers 502 when the workload is gone, and again 200 when the route leads to a live one', async () => {
    await fx.router.route('gone', 'prod', { workloadId: 'x', address: 'http://127.0.0.1:1' }, 1);
    assert.equal((await fx.ask('gone.prod.localhost')).status, 502);
    const upload = await fx.ask('gone.prod.localhost', { method: 'POST', body: 'x'.repeat(1_000_000) });
    assert.deepEqual([upload.status, upload.headers.connection], [502, 'close']);
    await route('gone', (_, response) => response.end('back'));
    assert.equal((await fx.ask('gone.prod.localhost')).body, 'back');
    assert.equal((await fx.ask('gone.localhost')).body, 'back');
    await fx.router.unroute('gone', 'prod', 1);
    assert.equal((await fx.ask('gone.prod.localhost')).status, 404);
    assert.equal(await fx.router.current('gone', 'prod'), null);
  });

  it('answers 504 when the service accepts and never answers, and 503 when the route file is damaged', async () => {
    await route('silent', () => {});
    assert.equal((await fx.ask('silent.localhost')).status, 504);
    await writeFile(join(fx.directory, 'broken.prod.json'), '{"workloadId":');
    assert.equal((await fx.ask('broken.localhost')).status, 503);
  });

  it('says itself for whom it forwards, and passes on no header of the connection', async () => {
    await route('headers', (incoming, response) => {
      const answer = { 'keep-alive': 'timeout=9', connection: 'x-own', 'x-own': '1', 'set-cookie': ['a=1', 'b=2'] };
      response.writeHead(200, answer).end(JSON.stringify(incoming.headers));
    });
    const answer = await fx.ask('headers.prod.localhost', {
      headers: {
        ...{
          'x-forwarded-for': '6.6.6.6',
          'x-forwarded-proto': 'https',
          forwarded: 'for=6.6.6.6',
          'x-real-ip': '6.6.6.6',
        },
        ...{
          connection: 'close, x-mine, host',
          'x-mine': '1',
          te: 'trailers',
          'proxy-authorization': 'x',
          cookie: 'c=1',
        },
      },
    });
    const { connection, ...headers } = JSON.parse(answer.body);
    assert.deepEqual(headers, {
      ...{ host: 'headers.prod.localhost', cookie: 'c=1', 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' },
      ...{ 'x-forwarded-host': 'headers.prod.localhost', 'x-forwarded-port': String(fx.port) },
    });
    assert.equal(answer.headers['x-own'], undefined);
    assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2']);
  });

  it('streams a request body to the workload and its answer back', async () => {
    await route('echo', (incoming, response) => void incoming.pipe(response));
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
    const target = { host: '127.0.0.1', port: fx.port, method: 'POST', headers: { host: 'echo.localhost' } };
    const outgoing = request(target, resolve);
    outgoing.write('first ');
    const response = await promise;
    outgoing.end('second');
    assert.equal(await bodyOf(response), 'first second');
  });

  it('sends headers of an event stream before its first event', async () => {
    await route('events', (_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
    );
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
    const outgoing = request({ host: '127.0.0.1', port: fx.port, headers: { host: 'events.localhost' } }, resolve);
    outgoing.on('error', () => {}).end();
    assert.equal((await promise).headers['content-type'], 'text/event-stream');
    outgoing.destroy();
  });

  it('an answer that breaks off breaks off for the client', async () => {
    await route('breaks', (_, response) => {
      response.write('half');
      setTimeout(() => response.destroy(), 50);
    });
    await assert.rejects(fx.ask('breaks.localhost'), { code: 'ECONNRESET' });
  });

  it('a client that goes away ends the request at the service', async () => {
    const gone = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    await route('leaving', (incoming) => {
      incoming.socket.once('close', () => gone.resolve());
      arrived.resolve();
    });
    const outgoing = request({ host: '127.0.0.1', port: fx.port, headers: { host: 'leaving.localhost' } });
    outgoing.on('error', () => {}).end();
    await arrived.promise;
    outgoing.destroy();
    await gone.promise;
  });

  it('refuses what could mean one thing here and another at the service', async () => {
    const paths: string[] = [];
    await route('strict', (incoming, response) => response.end(void paths.push(incoming.url ?? '')));
    const bodies =
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: strict.localhost\r\n';
    const malformed = [
      `POST / HTTP/1.1\r\nHost: strict.localhost\r\n${bodies}\r\n`,
      'POST / HTTP/1.1\r\nHost: strict.localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef',
      'POST / HTTP/1.1\r\nHost: strict.localhost\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: strict.localhost\r\nHost: other.localhost\r\nConnection: close\r\n\r\n',
      'GET http://strict.localhost/ HTTP/1.1\r\nHost: strict.localhost\r\nConnection: close\r\n\r\n',
      'GET / HTTP/1.1\r\nHost : strict.localhost\r\nConnection: close\r\n\r\n',
      'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
    ];
    for (const text of malformed) {
      const { socket, received } = fx.dial(text);
      await once(socket, 'close', { signal: AbortSignal.timeout(5_000) });
      assert.match(received(), /^HTTP\/1\.1 400 /, text);
    }
    assert.deepEqual(paths, []);
  });

  it('ends a client that sends its headers too slowly', async (t) => {
    const { socket, received } = fx.dial('GET / HTTP/1.1\r\nHost: x.localhost\r\n');
    const dripping = setInterval(() => socket.write('X-Slow: 1\r\n'), 50);
    t.after(() => clearInterval(dripping));
    let wasReset = false;
    socket.once('error', () => {
      wasReset = true;
    });
    await waitUntil('the connection is closed', () => socket.closed, { withinMs: 5_000 });
    // What is sent after the end is answered by a reset, which may overtake the answer.
    if (!wasReset || received() !== '') assert.match(received(), /^HTTP\/1\.1 408 /);
  });

  it('passes a WebSocket upgrade through, and an answer that refuses it', async () => {
    const { server } = await route('socket', (_, response) => response.end());
    server.on('upgrade', (incoming, socket) => {
      assert.equal(incoming.headers['x-forwarded-for'], '127.0.0.1');
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
      socket.pipe(socket);
    });
    const { socket, received } = fx.dial(handshake('socket.localhost'));
    socket.on('data', (part) => {
      if (String(part).includes('101')) socket.write('ping');
      if (received().includes('ping')) socket.end();
    });
    await once(socket, 'close', { signal: AbortSignal.timeout(5_000) });
    assert.match(received(), /^HTTP\/1\.1 101[\s\S]*ping$/);

    await route('refusing', (_, response) => response.writeHead(401).end('no'));
    for (const [host, status] of [
      ['refusing.localhost', 401],
      ['nobody.localhost', 404],
      ['gone.localhost', 404],
    ] as const) {
      const refused = fx.dial(handshake(host));
      await once(refused.socket, 'close', { signal: AbortSignal.timeout(5_000) });
      assert.match(refused.received(), new RegExp(`^HTTP/1\\.1 ${status} `));
    }
  });

  it('takes an offer of another protocol for what it is: a request like any other', async () => {
    await route('plain', (incoming, response) => response.end(String(incoming.headers.upgrade)));
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
    };
    assert.deepEqual((await fx.ask('plain.localhost', { headers })).body, 'undefined');
  });

  it('closes while a WebSocket is open, and lets a request in flight end', async () => {
    const own = await makeEdgeFixture();
    const begun = Promise.withResolvers<void>();
    const { address, server } = await own.upstream((_, response) => {
      begun.resolve();
      setTimeout(() => response.end('whole'), 200);
    });
    server.on('upgrade', (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
      socket.on('error', () => {});
      // The server keeps its half of an upgraded connection until it is told to end it, and this process with it.
      socket.on('end', () => socket.end()).resume();
    });
    await own.router.route('late', 'prod', { workloadId: 'x', address }, 1);
    const { socket } = own.dial(handshake('late.localhost'));
    await once(socket, 'data');
    const answer = own.ask('late.localhost');
    await begun.promise;
    await own.edge.close(5_000);
    assert.equal((await answer).body, 'whole');
    await own.end();
  });

  it('probes through the public route and reports the commit', async () => {
    const { address } = await fx.upstream((_, response) =>
      response.end(JSON.stringify({ status: 'ok', commit: 'abc' })),
    );
    await fx.router.route('probe', 'prod', { workloadId: 'x', address }, 1);
    const probe = await fx.router.probe('probe', 'prod', '/health', AbortSignal.timeout(5_000));
    assert.deepEqual(
      { ok: probe.ok, commit: probe.commit, status: probe.status },
      { ok: true, commit: 'abc', status: 200 },
    );
    assert.match(probe.summary, /GET http:\/\/probe\.prod\.localhost:\d+\/health answered 200/);
  });

  it('does not take a name that could leave the routes directory', async () => {
    await assert.rejects(fx.router.route('../evil', 'prod', { workloadId: 'x', address: 'http://127.0.0.1:1' }, 1), {
      code: 'VALIDATION_FAILED',
    });
  });
});
