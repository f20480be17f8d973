import assert from 'node:assert/strict';
import { once as emitted } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { API_POLICY, SITE_POLICY } from '../../../adapters/http-fetch/fetch-policy.ts';
import {
  createGuardedFetch,
  type GuardedFetchOptions,
  type GuardedRequest,
} from '../../../adapters/http-fetch/guarded-fetch.ts';
import { type LocalSite, startLocalSite } from './local-site.ts';

const NAMES = ['site.example', 'other.example'];
const PUBLIC = [{ address: '93.184.215.14' }];
const INNER = [{ address: '10.0.0.1' }];
const lookup = async (hostname: string) => (hostname.startsWith('inner') ? INNER : PUBLIC);
const MOST_BYTES = 100_000;

const fetchAt = (site: LocalSite, options: Partial<GuardedFetchOptions> = {}) => {
  const fetch = createGuardedFetch({
    ...{ policy: SITE_POLICY, dialler: site.dialler, lookup, timeoutMs: 10_000, mostBytes: MOST_BYTES },
    ...options,
  });
  return (request: Partial<GuardedRequest> = {}) =>
    fetch({ method: 'GET', url: 'https://site.example/', headers: {}, ...request });
};

const redirect = (response: ServerResponse, location: string, status = 302): void =>
  void response.writeHead(status, { location }).end('moved');

/** Redirects the first request, answers the next ones. */
const once = (location: string, status = 302): RequestListener => {
  let isFirst = true;
  return (_request, response) => {
    if (isFirst) redirect(response, location, status);
    else response.end('there');
    isFirst = false;
  };
};

describe('a redirect of a site', () => {
  for (const [why, location] of [
    ['to an inner address', 'http://127.0.0.1/'],
    ['to an inner address as one number', 'http://2130706433/'],
    ['to an inner IPv6 address', 'http://[::1]/'],
    ['to metadata of a cloud', 'http://169.254.169.254/latest/meta-data/'],
    ['to a name that resolves to an inner address', 'https://inner.example/'],
    ['to another port', 'http://site.example:6379/'],
    ['to a file', 'file:///etc/passwd'],
    ['to data', 'data:text/plain,here'],
    ['with a name and a password', 'https://person:password@site.example/'],
    ['to what is no address', 'http://[/'],
  ] as const) {
    it(`${why} is refused`, async () => {
      await using site = await startLocalSite(once(location), NAMES);
      await assert.rejects(fetchAt(site)(), { code: 'SOURCE_REFUSED' });
      assert.equal(site.asked.length, 1);
    });
  }

  it('to another public host is followed, and told to the caller before it is asked', async () => {
    await using site = await startLocalSite(once('http://other.example/page'), NAMES);
    const hops: string[] = [];
    const answer = await fetchAt(site)({ onHop: (url) => void hops.push(url.href) });
    assert.deepEqual([answer.text, answer.url], ['there', 'http://other.example/page']);
    assert.deepEqual(hops, ['https://site.example/', 'http://other.example/page']);
  });

  it('that the caller refuses is not asked, and the caller gets its own error', async () => {
    await using site = await startLocalSite(once('https://other.example/'), NAMES);
    const refusal = new Error('robots.txt says no');
    const onHop = (url: URL): void => {
      if (url.host === 'other.example') throw refusal;
    };
    await assert.rejects(fetchAt(site)({ onHop }), refusal);
    assert.equal(site.asked.length, 1);
  });

  it('takes no header to another host but those that say who asks and how', async () => {
    await using site = await startLocalSite(once('https://other.example/'), NAMES);
    const headers = {
      authorization: 'Bearer secret',
      Cookie: 'secret',
      'x-api-key': 'secret',
      'User-Agent': 'Fairlead',
    };
    await fetchAt(site)({ headers });
    const [first, second] = site.asked;
    assert.equal(first?.headers.authorization, 'Bearer secret');
    assert.doesNotMatch(JSON.stringify(second?.headers), /secret/);
    assert.equal(second?.headers['user-agent'], 'Fairlead');
  });

  it('takes no body to another host', async () => {
    await using site = await startLocalSite(once('https://other.example/', 307), NAMES);
    await assert.rejects(fetchAt(site)({ method: 'POST', body: 'secret' }), { code: 'SOURCE_REFUSED' });
    assert.equal(site.asked.length, 1);
  });

  it('is followed five times and no further', async () => {
    await using site = await startLocalSite((request, response) => redirect(response, `${request.url}x`), NAMES);
    await assert.rejects(fetchAt(site)(), { code: 'SOURCE_REFUSED', message: /more than 5 times/ });
    assert.equal(site.asked.length, 6);
  });
});

describe('a call with a credential', () => {
  const called = (site: LocalSite, request: Partial<GuardedRequest> = {}) =>
    fetchAt(site, { policy: API_POLICY })({ headers: { authorization: 'secret' }, ...request });

  it('is made by https, and redirected within its origin', async () => {
    await using site = await startLocalSite(once('/there', 307), NAMES);
    const answer = await called(site);
    assert.deepEqual([answer.text, site.asked[1]?.headers.authorization], ['there', 'secret']);
  });

  for (const [why, request] of [
    ['by plain http', { url: 'http://site.example/' }],
    ['to an inner address', { url: 'https://10.0.0.1/' }],
    ['to a name of an inner address', { url: 'https://inner.example/' }],
  ] as const) {
    it(`is refused ${why}`, async () => {
      await using site = await startLocalSite((_request, response) => response.end('here'), NAMES);
      await assert.rejects(called(site, request), { code: 'SOURCE_REFUSED' });
      assert.equal(site.asked.length, 0);
    });
  }

  for (const location of ['https://other.example/', 'http://site.example/', 'https://site.example:8443/']) {
    it(`is not redirected to ${location}`, async () => {
      await using site = await startLocalSite(once(location), NAMES);
      await assert.rejects(called(site), { code: 'SOURCE_REFUSED' });
      assert.equal(site.asked.length, 1);
    });
  }
});

describe('an answer', () => {
  const page = 'page '.repeat(1_000);
  for (const [encoding, encode] of [
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
  ] as const) {
    it(`in ${encoding} is read`, async () => {
      await using site = await startLocalSite(
        (_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(encode(page)),
        NAMES,
      );
      assert.equal((await fetchAt(site)()).text, page);
    });
  }

  for (const [what, answer] of [
    ['longer than the limit', (response) => response.end('x'.repeat(MOST_BYTES + 1))],
    ['without an end', (response) => endless(response)],
    ['that unpacks to more than the limit (gzip)', (response) => bomb(response, 'gzip', gzipSync)],
    ['that unpacks to more than the limit (deflate)', (response) => bomb(response, 'deflate', deflateSync)],
    ['that unpacks to more than the limit (br)', (response) => bomb(response, 'br', brotliCompressSync)],
    [
      'packed twice',
      (response) => response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(gzipSync('x'))),
    ],
    ['in an encoding of nobody', (response) => response.writeHead(200, { 'content-encoding': 'constructor' }).end('x')],
    ['that is not what it says', (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain')],
    [
      'that is cut off',
      (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(page).subarray(0, 20)),
    ],
    ['whose headers are too long', (response) => response.writeHead(200, { 'x-long': 'x'.repeat(64 * 1024) }).end()],
    ['that ends before its length', (response) => cutOff(response)],
  ] as const satisfies readonly (readonly [string, (response: ServerResponse) => unknown])[]) {
    it(`${what} is given up`, async () => {
      await using site = await startLocalSite((_request, response) => void answer(response), NAMES);
      await assert.rejects(fetchAt(site)(), { code: 'UNAVAILABLE', retryable: true });
    });
  }

  it('to HEAD, and one without a body, is read whatever encoding it speaks of', async () => {
    await using site = await startLocalSite(
      (request, response) =>
        response.writeHead(request.url === '/none' ? 204 : 200, { 'content-encoding': 'gzip' }).end(),
      NAMES,
    );
    const fetch = fetchAt(site);
    assert.equal((await fetch({ method: 'HEAD' })).text, '');
    assert.equal((await fetch({ url: 'https://site.example/none' })).status, 204);
  });

  for (const [what, answer] of [
    ['whose headers come a byte at a time', (response) => drip(response, false)],
    ['whose body comes a byte at a time', (response) => drip(response, true)],
    ['that never comes', () => undefined],
  ] as const satisfies readonly (readonly [string, (response: ServerResponse) => void])[]) {
    it(`${what} is given up after the time for all of it`, async () => {
      await using site = await startLocalSite((_request, response) => answer(response), NAMES);
      const slow = fetchAt(site, { timeoutMs: 500 })();
      await assert.rejects(slow, { code: 'UNAVAILABLE', message: 'site.example did not answer within 0.5 s' });
    });
  }

  it('of a name whose addresses never come, or of a server that says no hello, is given up after the time for all of it', async (t) => {
    const silent = createServer().listen(0, '127.0.0.1');
    await emitted(silent, 'listening');
    const sockets = new Set<Socket>();
    silent.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    await using site = await startLocalSite((_request, response) => response.end('here'), NAMES);
    const never = Promise.withResolvers<readonly { address: string }[]>();
    for (const options of [
      { lookup: () => never.promise },
      { dialler: { dial: () => ({ address: '127.0.0.1', port }) } },
    ]) {
      const slow = fetchAt(site, { timeoutMs: 500, ...options })();
      await assert.rejects(slow, { code: 'UNAVAILABLE', message: 'site.example did not answer within 0.5 s' });
    }
    never.resolve(PUBLIC);
  });

  it('is not waited for after an abort, whose reason the caller gets', async () => {
    const abort = new AbortController();
    const reason = new Error('called off');
    await using site = await startLocalSite(() => abort.abort(reason), NAMES);
    await assert.rejects(fetchAt(site)({ signal: abort.signal }), reason);
  });

  it('of a host whose certificate names another is refused', async () => {
    await using site = await startLocalSite((_request, response) => response.end('here'), ['another.example']);
    await assert.rejects(fetchAt(site)(), { code: 'UNAVAILABLE' });
    assert.equal(site.asked.length, 0);
  });
});

describe("an origin of the platform's own", () => {
  it('is asked whatever its address, and never left', async () => {
    await using site = await startLocalSite(once('https://other.example/'), NAMES);
    const { port } = site.dialler.dial({ hostname: 'site.example', addresses: [], port: 80 });
    const url = `http://127.0.0.1:${port}/`;
    const fetch = fetchAt(site, { trustedOrigins: [new URL(url).origin] });
    await assert.rejects(fetch({ url }), { code: 'SOURCE_REFUSED' });
    assert.equal((await fetch({ url })).text, 'there');
  });
});

function bomb(response: ServerResponse, encoding: string, encode: (bytes: Buffer) => Buffer): void {
  response.writeHead(200, { 'content-encoding': encoding }).end(encode(Buffer.alloc(20 * MOST_BYTES)));
}

function endless(response: ServerResponse): void {
  const write = (): void => {
    if (!response.destroyed) response.write('x'.repeat(10_000), () => setImmediate(write));
  };
  write();
}

function cutOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '100' });
  response.write('part', () => response.destroy());
}

function drip(response: ServerResponse, hasHeaders: boolean): void {
  const { socket } = response;
  if (!hasHeaders) socket?.write('HTTP/1.1 200 OK\r\nx-long: ');
  const timer = setInterval(() => {
    if (response.destroyed) clearInterval(timer);
    else if (hasHeaders) response.write('x');
    else socket?.write('x');
  }, 20);
}
