import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { createOpenExchanges, type ExchangeLimits } from '../../../adapters/edge-router/open-exchanges.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type EdgeFixture, makeEdgeFixture } from './edge-fixture.ts';
import { askHttp2, makeTlsFixture, type TlsFixture } from './tls-fixture.ts';

const HOST = 'slow.example.com';

describe('requests that wait for their answer', { timeout: 60_000 }, () => {
  let fx: TlsFixture;
  const waiting: ServerResponse[] = [];
  before(async () => {
    fx = await makeTlsFixture({ exchanges: { most: 4, mostOfOne: 3, mostToOne: 4 } });
    await fx.serve(HOST, ({ url }, response) => {
      if (url === '/at-once') response.end('answered');
      else waiting.push(response);
    });
  });
  after(() => fx.end());

  it('are so many of one address at once, over all connections and both protocols; the next may come when one has ended', async () => {
    const sessions = [await fx.http2(HOST), await fx.http2(HOST)];
    const asked = [...sessions.map((session) => askHttp2(session)), fx.askTls(HOST)];
    await waitUntil('the service has them', () => waiting.length === 3);
    const [session] = sessions;
    assert.equal((await askHttp2(session ?? assert.fail())).status, 503);
    assert.equal((await fx.askTls(HOST)).status, 503);
    waiting[0]?.end('answered');
    await waitUntil('the next is let in', async () => (await fx.askTls(HOST, { path: '/at-once' })).status === 200);
    for (const response of waiting) response.end('answered');
    for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
    for (const each of sessions) each.close();
  });
});

describe('a service that never answers', { timeout: 60_000 }, () => {
  let fx: EdgeFixture;
  const waiting: ServerResponse[] = [];
  before(async () => {
    fx = await makeEdgeFixture({}, { most: 4, mostOfOne: 4, mostToOne: 2 });
    for (const service of ['slow', 'good']) {
      const { address } = await fx.upstream((_request, response) => {
        if (service === 'slow') waiting.push(response);
        else response.end('answered');
      });
      await fx.router.route(service, 'prod', { workloadId: 'x', address }, 1);
    }
  });
  after(() => fx.end());
  const get = (times: number) => 'GET / HTTP/1.1\r\nHost: slow.localhost\r\n\r\n'.repeat(times);

  it('is asked one request of a connection at a time, in their order', async () => {
    const { socket, received } = fx.dial(get(3));
    for (const number of [1, 2, 3]) {
      await waitUntil('the next comes', () => waiting.length === number);
      assert.equal((await fx.ask('good.localhost')).status, 200);
      assert.equal(waiting.length, number);
      waiting[number - 1]?.end(`answer ${number}`);
    }
    await waitUntil('all are answered', () => received().includes('answer 3'));
    assert.ok(received().indexOf('answer 1') < received().indexOf('answer 2'));
    socket.destroy();
    waiting.length = 0;
  });

  it('does not have more waiting than a client sends ahead: that connection is cut off', async () => {
    const { socket } = fx.dial(get(100));
    await waitUntil('it is cut off', () => socket.destroyed);
    assert.equal((await fx.ask('good.localhost')).status, 200);
    waiting.length = 0;
  });

  it('refuses its own requests alone, whoever sends them', async () => {
    const held = [fx.ask('slow.localhost'), fx.ask('slow.localhost')];
    await waitUntil('it has them', () => waiting.length === 2);
    assert.equal((await fx.ask('slow.localhost')).status, 503);
    assert.equal((await fx.ask('good.localhost')).status, 200);
    for (const response of waiting) response.end();
    await Promise.all(held);
  });
});

it('a challenge of a certificate authority is answered whatever waits', async () => {
  const fx = await makeTlsFixture({ exchanges: { most: 0, mostOfOne: 0, mostToOne: 0 } });
  try {
    await fx.serve(HOST, (_request, response) => response.end('answered'));
    await fx.challenges.put(HOST, 'token', 'token.thumbprint');
    assert.equal((await fx.edge.ask(HOST)).status, 503);
    const { status, body } = await fx.edge.ask(HOST, { path: '/.well-known/acme-challenge/token' });
    assert.deepEqual([status, body], [200, 'token.thumbprint']);
  } finally {
    await fx.end();
  }
});

it('whoever has a network of IPv6 is one client; addresses of IPv4 are each one, however they are written', () => {
  const limits: ExchangeLimits = { most: 10, mostOfOne: 1, mostToOne: 10 };
  const exchanges = createOpenExchanges(limits);
  const enters = (remoteAddress: string): boolean =>
    exchanges.enter({ socket: { remoteAddress } } as never, new EventEmitter() as never, new URL('http://10.0.0.1'));
  assert.deepEqual(['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:db8:0:2::1'].map(enters), [true, false, true]);
  assert.deepEqual(['::ffff:192.0.2.1', '192.0.2.1', '::ffff:192.0.2.2'].map(enters), [true, false, true]);
});
