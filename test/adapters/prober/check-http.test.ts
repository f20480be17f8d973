import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createProbeGuard } from '../../../adapters/prober/probe-guard.ts';
import { runCheck } from '../../../adapters/prober/run-check.ts';
import { type HttpCheck, MOST_BODY_BYTES } from '../../../domain/monitors/check-kinds.ts';
import { startLocalSite } from '../http-fetch/local-site.ts';
import { endlessly, listenHttp, listenTcp, ON_LOOPBACK } from './listeners.ts';

const LIMIT_MS = 10_000;
const SOON_MS = 300;
const check = (port: number, changes: Partial<HttpCheck> = {}): HttpCheck => ({
  ...{ kind: 'http', url: `http://site.example:${port}/health?key=secret`, method: 'GET', expectStatus: null },
  ...{ expectBodyContains: null, json: null, latencyBudgetMs: null },
  ...changes,
});

type Answer = (response: ServerResponse, url: string) => unknown;
async function found(answer: Answer, changes: Partial<HttpCheck> = {}, limitMs = LIMIT_MS) {
  await using server = await listenHttp((request, response) => void answer(response, request.url ?? ''));
  const { durationMs, ...finding } = await runCheck(check(server.port, changes), ON_LOOPBACK, limitMs);
  assert.doesNotMatch(JSON.stringify(finding), /secret/);
  return { ...finding, durationMs, connections: server.connections() };
}

describe('a check over HTTP', () => {
  it('is ok with a 2xx, and says how long it took', async () => {
    const { outcome, problem, status, durationMs } = await found((response) => response.end('fine'));
    assert.deepEqual([outcome, problem, status], ['ok', null, 200]);
    assert.ok(durationMs >= 0 && durationMs < LIMIT_MS);
  });

  it('fails with another status, and with the connection refused', async () => {
    const { outcome, problem, status } = await found((response) => response.writeHead(503).end());
    assert.deepEqual([outcome, problem, status], ['failed', 'status', 503]);
    const closed = await listenHttp(() => undefined);
    await closed[Symbol.asyncDispose]();
    assert.equal((await runCheck(check(closed.port), ON_LOOPBACK)).problem, 'refused');
  });

  it('does not follow a redirect, and names its host alone', async () => {
    const asked: string[] = [];
    const { problem, message, connections } = await found((response, url) => {
      asked.push(url);
      response.writeHead(302, { location: 'https://login.example/?token=secret' }).end();
    });
    assert.equal(problem, 'redirect');
    assert.match(message ?? '', /login\.example/);
    assert.deepEqual([asked.length, connections], [1, 1]);
  });

  it('sends the method and the path, and says who asks', async () => {
    const seen: unknown[] = [];
    await using server = await listenHttp((request, response) => {
      const { method, url, headers } = request;
      seen.push([method, url, headers.host, headers['user-agent'], headers['accept-encoding']]);
      response.end();
    });
    for (const method of ['GET', 'HEAD', 'POST'] as const) await runCheck(check(server.port, { method }), ON_LOOPBACK);
    assert.deepEqual(
      seen,
      ['GET', 'HEAD', 'POST'].map((method) => [
        ...[method, '/health?key=secret', `site.example:${server.port}`, 'Fairlead-Monitor', 'identity'],
      ]),
    );
  });

  it('sends the headers that it is given, in the place of its own as well, and connects to nothing where one may not be sent', async () => {
    const seen: unknown[] = [];
    await using server = await listenHttp((request, response) => {
      const { host, authorization, accept, connection } = request.headers;
      seen.push([host, authorization, accept, connection, request.headers['content-length']]);
      response.writeHead(302, { location: 'https://login.example/' }).end();
    });
    const send = { authorization: 'Bearer secret', accept: 'text/html' };
    const asked = check(server.port, { method: 'POST' });
    const finding = await runCheck(asked, { ...ON_LOOPBACK, headers: { send } });
    assert.deepEqual(seen, [[`site.example:${server.port}`, 'Bearer secret', 'text/html', 'close', '0']]);
    assert.equal(finding.problem, 'redirect');
    assert.doesNotMatch(JSON.stringify(finding), /Bearer/);
    const refused = await runCheck(asked, { ...ON_LOOPBACK, headers: { refused: 'Authorization is not sent' } });
    assert.deepEqual(
      [refused.outcome, refused.problem, refused.message],
      ['unknown', 'no-secret', 'Authorization is not sent'],
    );
    assert.deepEqual([seen.length, server.connections()], [1, 1]);
  });

  it('looks for a text and a value in the body', async () => {
    const answer: Answer = (response) => response.end('{"status":"up"}');
    assert.equal((await found(answer, { expectBodyContains: '"up"' })).outcome, 'ok');
    assert.equal((await found(answer, { expectBodyContains: 'down' })).problem, 'body');
    assert.equal((await found(answer, { json: { path: '$.status', equals: 'up' } })).outcome, 'ok');
    assert.equal((await found(answer, { json: { path: '$.status', equals: 'x' } })).problem, 'json');
  });

  it('reads an encoded body that it did not ask for', async () => {
    const answer: Answer = (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('all good'));
    assert.equal((await found(answer, { expectBodyContains: 'good' })).outcome, 'ok');
  });

  it('is slow over the budget', async () => {
    const late: Answer = (response) => setTimeout(() => response.end('fine'), 60);
    const { outcome, problem } = await found(late, { latencyBudgetMs: 20 });
    assert.deepEqual([outcome, problem], ['slow', 'latency']);
    assert.equal((await found(late, { latencyBudgetMs: 9_000 })).outcome, 'ok');
  });

  it('over TLS needs a certificate for the name that is trusted', async () => {
    await using site = await startLocalSite((_request, response) => response.end('fine'), ['site.example']);
    const at = (trusts: boolean) => {
      const { ca, ...dialler } = site.dialler;
      const lookup = async () => [{ address: '93.184.215.14' }];
      const networks = { allowed: [], edgePorts: [], edgeHost: null };
      const guard = createProbeGuard({ networks, lookup, dialler: trusts ? site.dialler : dialler });
      return (url: string) => runCheck(check(0, { url }), { guard, nameServers: [] });
    };
    assert.equal((await at(true)('https://site.example/')).outcome, 'ok');
    assert.equal((await at(true)('https://other.example/')).problem, 'certificate-name');
    assert.equal((await at(false)('https://site.example/')).problem, 'tls');
  });

  it('over TLS to an address needs a certificate for that address', async () => {
    const foundWith = async (names: readonly string[], url: string, address: string) => {
      await using site = await startLocalSite((_request, response) => response.end('fine'), names);
      const networks = { allowed: [], edgePorts: [], edgeHost: null };
      const guard = createProbeGuard({ networks, lookup: async () => [{ address }], dialler: site.dialler });
      const { outcome, problem } = await runCheck(check(0, { url }), { guard, nameServers: [] });
      return [outcome, problem, site.asked.length];
    };
    const [v4, v6] = ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'];
    for (const [address, url] of [
      [v4, `https://${v4}/`],
      [v6, `https://[${v6}]/`],
    ] as const) {
      assert.deepEqual(await foundWith(['localhost'], url, address), ['failed', 'certificate-name', 0], url);
      assert.deepEqual(await foundWith([address], url, address), ['ok', null, 1], url);
    }
  });
});

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
/** RFC 1952, and a block of RFC 1951 that is not compressed, has nothing in it and is not the last one. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff]);

describe('a target that means harm', () => {
  const body = { expectBodyContains: 'good' };
  it('with an endless body costs no more than the first part of it, and no time where nothing is expected', async () => {
    assert.equal((await found(endless, body)).problem, 'body');
    assert.equal((await found(endless)).outcome, 'ok');
  });

  it('is not searched beyond the first part of its body', async () => {
    const answer: Answer = (response) => response.end(`${'x'.repeat(MOST_BODY_BYTES)}good`);
    assert.equal((await found(answer, body)).problem, 'body');
  });

  it('with a body that unpacks to a large one', async () => {
    const bomb = gzipSync(Buffer.alloc(300 * MOST_BODY_BYTES));
    const before = process.memoryUsage().arrayBuffers;
    const answer: Answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    assert.equal((await found(answer, body)).problem, 'body');
    assert.ok(process.memoryUsage().arrayBuffers - before < 50 * MOST_BODY_BYTES);
  });

  it('with an encoding that is none, or nobody knows', async () => {
    for (const encoding of ['gzip', 'constructor']) {
      const answer: Answer = (response) => response.writeHead(200, { 'content-encoding': encoding }).end('good');
      assert.equal((await found(answer, body)).problem, 'protocol');
    }
  });

  for (const [what, answer, changes] of [
    ['that answers nothing', () => undefined, {}],
    ['whose headers come a byte at a time', (response) => drip(response), {}],
    ['whose body never ends and is waited for', (response) => response.write('x'), body],
  ] as const satisfies readonly (readonly [string, Answer, Partial<HttpCheck>])[]) {
    it(`${what} is given up in time`, async () => {
      const { problem, durationMs } = await found(answer, changes, SOON_MS);
      assert.equal(problem, 'timeout');
      assert.ok(durationMs < 10 * SOON_MS);
    });
  }

  for (const [what, bytes] of [
    ['whose headers are too long', `HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(64 * 1024)}\r\n\r\n`],
    ['that does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['that switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['that says two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'],
  ] as const) {
    it(`${what} fails as no HTTP`, async () => {
      await using server = await listenTcp((socket) => socket.once('data', () => socket.end(bytes)));
      assert.equal((await runCheck(check(server.port), ON_LOOPBACK)).problem, 'protocol');
    });
  }

  const GZIP = 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n';
  for (const [what, again, first] of [
    ['that says for ever that it will answer', 'HTTP/1.1 103 \r\n\r\n', ''],
    ['whose long hints never end', `HTTP/1.1 103 \r\nlink: ${'x'.repeat(8_000)}\r\n\r\n`, ''],
    ['whose body unpacks to nothing, for ever', EMPTY_BLOCK, Buffer.concat([Buffer.from(GZIP), GZIP_HEAD])],
    ['whose body comes in chunks of a byte with much beside it', `1;${'x'.repeat(100)}\r\na\r\n`, CHUNKED],
  ] as const) {
    it(`${what} fails at once`, async () => {
      await using server = await listenTcp(endlessly(again, first));
      const { problem, durationMs } = await runCheck(check(server.port, body), ON_LOOPBACK, LIMIT_MS);
      assert.equal(problem, 'protocol');
      assert.ok(durationMs < LIMIT_MS / 2);
    });
  }

  it('may say once that it will answer', async () => {
    const bytes = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ngood';
    await using server = await listenTcp((socket) => socket.once('data', () => socket.end(bytes)));
    assert.equal((await runCheck(check(server.port, body), ON_LOOPBACK)).outcome, 'ok');
  });

  it('that closes without an answer fails', async () => {
    await using server = await listenTcp((socket) => socket.end());
    assert.equal((await runCheck(check(server.port), ON_LOOPBACK)).problem, 'connection');
  });

  it('leaves no connection behind', async () => {
    let open = 0;
    await using server = await listenTcp((socket) => {
      open += 1;
      socket.once('close', () => {
        open -= 1;
      });
      socket.resume();
    });
    await runCheck(check(server.port), ON_LOOPBACK, SOON_MS);
    for (let waited = 0; open > 0 && waited < 100; waited += 1) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(open, 0);
  });
});

function endless(response: ServerResponse): void {
  const write = (): void => {
    if (!response.destroyed) response.write('x'.repeat(10_000), () => setImmediate(write));
  };
  write();
}

function drip(response: ServerResponse): void {
  response.socket?.write('HTTP/1.1 200 OK\r\nx-long: ');
  const timer = setInterval(() => {
    if (response.destroyed) clearInterval(timer);
    else response.socket?.write('x');
  }, 20);
}
