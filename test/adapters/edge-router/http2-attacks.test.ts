import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { waitUntil } from '../../support/wait-until.ts';
import { type Field, openRawHttp2 } from './raw-http2.ts';
import { askHttp2, makeTlsFixture, type TlsFixture } from './tls-fixture.ts';

const HOST = 'shop.example.com';

/** A request of HTTP/2 becomes one request of HTTP/1.1, whole, or none. The service here is a bare socket: it sees every byte. */
describe('requests of HTTP/2 on their way to a service', () => {
  let fx: TlsFixture;
  let service: Server;
  const sockets: Socket[] = [];
  let seen = '';
  let ended = 0;

  before(async () => {
    fx = await makeTlsFixture({ tls: { request: 500 } });
    service = createServer((socket) => {
      sockets.push(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          ended += 1;
        });
      socket.setEncoding('latin1').on('data', (part) => {
        seen += part;
        const whole = /content-length: \d+\r\n/i.test(seen)
          ? seen.includes('whole')
          : /\r\n\r\n(.*\r\n0\r\n\r\n)?$/s.test(seen);
        const isChunked = /transfer-encoding: chunked/i.test(seen);
        if (whole && (!isChunked || seen.endsWith('0\r\n\r\n'))) {
          socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        }
      });
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    await fx.serve(HOST, () => undefined);
    const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    await fx.edge.router.route('shop-example-com', 'prod', { workloadId: 'bare', address }, 2);
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    service.close();
    await fx.end();
  });
  beforeEach(() => {
    seen = '';
    ended = 0;
  });

  const usual: readonly Field[] = [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', '/'],
    [':authority', HOST],
  ];
  const withPath = (path: string): readonly Field[] =>
    usual.map(([name, value]) => [name, name === ':path' ? path : value]);
  const post: readonly Field[] = usual.map(([name, value]) => [name, name === ':method' ? 'POST' : value]);

  async function outcome(fields: readonly Field[], body?: string) {
    const raw = openRawHttp2(await fx.dialTls(HOST, { ALPNProtocols: ['h2'] }));
    raw.headers(1, fields, { end: body === undefined });
    if (body !== undefined) raw.data(1, body, { end: true });
    const found = await waitUntil('an answer or a refusal', () => raw.outcomeOf(1));
    raw.close();
    return found;
  }

  it('passes an honest request on', async () => {
    assert.equal(await outcome(usual), 'answered');
    assert.match(seen, /^GET \/ HTTP\/1\.1\r\n/);
    assert.match(seen, /\r\nhost: shop\.example\.com\r\n/);
    assert.doesNotMatch(seen, /\r\n:|content-length|transfer-encoding/i);
  });

  const second = 'GET /admin HTTP/1.1\r\nhost: x\r\n\r\n';
  const attacks: Readonly<Record<string, readonly [fields: readonly Field[], body?: string]>> = {
    'a transfer coding': [[...post, ['transfer-encoding', 'chunked']], `0\r\n\r\n${second}`],
    'a transfer coding under another spelling': [[...post, ['Transfer-Encoding', 'chunked']], `0\r\n\r\n${second}`],
    'a header of the connection': [[...usual, ['connection', 'host']]],
    'a switch of protocols': [[...usual, ['upgrade', 'h2c']]],
    'a length that is too short': [[...post, ['content-length', '5']], `whole${second}`],
    'a length that is too long': [[...post, ['content-length', '500']], 'whole'],
    'two lengths': [[...post, ['content-length', '5'], ['content-length', '50']], 'whole'],
    'a line break in a value': [[...usual, ['x-a', `b\r\n\r\n${second}`]]],
    'a line break in a name': [[...usual, ['x-a: b\r\nx-c', 'd']]],
    'a line break in the path': [withPath(`/ HTTP/1.1\r\nhost: x\r\n\r\n${second}`)],
    'a second request in the method': [
      usual.map(([name, value]) => [name, name === ':method' ? `GET / HTTP/1.1\r\nx: y\r\n\r\n${second}` : value]),
    ],
    'a null byte': [[...usual, ['x-a', 'b\0c']]],
    'a late pseudo-header': [[...usual, ['x-a', 'b'], [':path', '/admin']]],
    'two paths': [[...usual, [':path', '/admin']]],
  };
  for (const [what, [fields, body]] of Object.entries(attacks)) {
    it(`sends on no second request for ${what}`, async () => {
      await outcome(fields, body);
      // What was sent on, if anything, is one request without what was smuggled.
      assert.doesNotMatch(seen, /\/admin|\r\nx-c:|\0/);
      assert.ok((seen.match(/ HTTP\/1\.1\r\n/g) ?? []).length <= 1);
      assert.ok((seen.match(/\r\n(content-length|transfer-encoding):/gi) ?? []).length <= 1);
    });
  }

  const refused: Readonly<Record<string, readonly Field[]>> = {
    'a host that differs from its authority': [...usual, ['host', 'mail.example.com']],
    'an authority with a user': usual.map(([name, value]) => [name, name === ':authority' ? `x@${HOST}` : value]),
    'a path with a space': withPath('/a b'),
    'a path that is a whole address': withPath('http://mail.example.com/'),
    'an empty path': withPath(''),
    'a tunnel': [
      [':method', 'CONNECT'],
      [':authority', HOST],
    ],
    'a tunnel for WebSockets, which was not offered': [
      ...usual.slice(1),
      [':method', 'CONNECT'],
      [':protocol', 'websocket'],
    ],
  };
  for (const [what, fields] of Object.entries(refused)) {
    it(`sends nothing on of ${what}`, async () => {
      await outcome(fields);
      assert.equal(seen, '');
    });
  }

  it('a body that breaks off does not look whole to the service', async () => {
    const raw = openRawHttp2(await fx.dialTls(HOST, { ALPNProtocols: ['h2'] }));
    raw.headers(1, post, { end: false });
    raw.data(1, 'the first half', { end: false });
    await waitUntil('the service has it', () => seen.includes('the first half'));
    raw.reset(1);
    await waitUntil('the connection to the service ends', () => ended > 0);
    assert.doesNotMatch(seen, /\r\n0\r\n\r\n$/);
    raw.close();
  });

  it('nor does one whose client is gone', async () => {
    const raw = openRawHttp2(await fx.dialTls(HOST, { ALPNProtocols: ['h2'] }));
    raw.headers(1, post, { end: false });
    raw.data(1, 'the first half', { end: false });
    await waitUntil('the service has it', () => seen.includes('the first half'));
    raw.close();
    await waitUntil('the connection to the service ends', () => ended > 0);
    assert.doesNotMatch(seen, /\r\n0\r\n\r\n$/);
  });

  it('a body that comes too slowly is given up', async () => {
    const raw = openRawHttp2(await fx.dialTls(HOST, { ALPNProtocols: ['h2'] }));
    raw.headers(1, post, { end: false });
    assert.equal(await waitUntil('it is given up', () => raw.outcomeOf(1)), 'refused');
    raw.close();
  });

  it('a client that resets thousands of requests takes nothing from the others', async () => {
    const raw = openRawHttp2(await fx.dialTls(HOST, { ALPNProtocols: ['h2'] }));
    for (let stream = 1; stream < 4_000; stream += 2) {
      raw.headers(stream, usual, { end: true });
      raw.reset(stream);
    }
    const session = await fx.http2(HOST);
    seen = '';
    const { status } = await askHttp2(session);
    assert.equal(status, 200);
    session.close();
    raw.close();
  });

  it('says a header twice where the service does, and does not end for it', async () => {
    await fx.serve('twice.example.com', (_request, response) => {
      response.writeHead(200, [...['etag', '"a"', 'etag', '"b"'], ...['set-cookie', 'a=1', 'set-cookie', 'b=2']]);
      response.end('ok');
    });
    const session = await fx.http2('twice.example.com');
    const { status, headers } = await askHttp2(session);
    assert.equal(status, 200);
    assert.deepEqual(headers['set-cookie'], ['a=1', 'b=2']);
    session.close();
  });
});
