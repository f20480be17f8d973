import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { waitUntil } from '../../support/wait-until.ts';
import { handshake } from './edge-fixture.ts';
import { askHttp2, makeTlsFixture, type TlsFixture } from './tls-fixture.ts';

const echo: RequestListener = (request, response) => {
  request.resume().once('end', () => {
    response.end(JSON.stringify({ url: request.url, headers: request.headers }));
  });
};

describe('the router over TLS', () => {
  let fx: TlsFixture;
  before(async () => {
    fx = await makeTlsFixture({ tls: { handshake: 400, idle: 500 } }, 2);
    await fx.serve('shop.example.com', echo);
    await fx.serve('mail.example.com', echo);
  });
  after(() => fx.end());

  it('shows each host its own certificate, and passes its requests on as https', async () => {
    for (const host of ['shop.example.com', 'mail.example.com']) {
      const { status, body } = await fx.askTls(host, { path: '/a?b=c' });
      assert.equal(status, 200);
      const { url, headers } = JSON.parse(body);
      assert.equal(url, '/a?b=c');
      assert.equal(headers.host, host);
      assert.equal(headers['x-forwarded-proto'], 'https');
      assert.equal(headers['x-forwarded-port'], String(fx.tlsPort));
      assert.equal(headers['x-forwarded-for'], '127.0.0.1');
    }
  });

  it('speaks HTTP/2 with who offers it, and HTTP/1.1 with who does not', async () => {
    const offered = [
      [['h2', 'http/1.1'], 'h2'],
      [['http/1.1'], 'http/1.1'],
      [undefined, false],
    ] as const;
    for (const [ALPNProtocols, agreed] of offered) {
      const socket = await fx.dialTls('shop.example.com', { ALPNProtocols: ALPNProtocols && [...ALPNProtocols] });
      assert.equal(socket.alpnProtocol, agreed);
      socket.destroy();
    }
  });

  it('answers requests of HTTP/2, several at once on one connection, with body and without', async () => {
    const session = await fx.http2('shop.example.com');
    const asks = Array.from({ length: 20 }, (_, index) => ({ path: `/${index}` }));
    const answers = await Promise.all(asks.map((ask) => askHttp2(session, ask)));
    assert.deepEqual(
      answers.map(({ status, body }) => [status, JSON.parse(body).url]),
      asks.map(({ path }) => [200, path]),
    );
    const posted = await askHttp2(session, { method: 'POST', body: 'x'.repeat(200_000) });
    assert.equal(posted.status, 200);
    assert.equal(JSON.parse(posted.body).headers['x-forwarded-proto'], 'https');
    const head = await askHttp2(session, { method: 'HEAD' });
    assert.deepEqual([head.status, head.body], [200, '']);
    assert.equal((await askHttp2(session, { headers: { cookie: 'a=1' } })).status, 200);
    session.close();
  });

  for (const protocol of ['HTTP/1.1', 'HTTP/2'] as const) {
    it(`refuses a host other than that of the certificate with 421, over ${protocol}`, async () => {
      const ask = async (host: string) => {
        if (protocol === 'HTTP/1.1') return await fx.askTls(host, { servername: 'shop.example.com' });
        const session = await fx.http2('shop.example.com');
        const answer = await askHttp2(session, { authority: host });
        session.close();
        return answer;
      };
      assert.equal((await ask('mail.example.com')).status, 421);
      assert.equal((await ask('shop-example-com.localhost')).status, 421);
      assert.equal((await ask('127.0.0.1')).status, 421);
      assert.equal((await ask('SHOP.example.com.:8443')).status, 200);
    });
  }

  it('refuses the handshake for a name that it has no certificate of, and without a name', async () => {
    const refused = { code: 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE' };
    for (const name of ['other.example.com', 'example.com', 'a.shop.example.com', '../hosts/shop.example.com', '']) {
      await assert.rejects(fx.dialTls(name), refused, name);
    }
    assert.equal((await fx.askTls('shop.example.com')).status, 200);
  });

  it('serves a new certificate with the next handshake, and none once it is removed', async () => {
    await fx.serve('new.example.com', echo);
    const first = await fx.dialTls('new.example.com');
    const next = await fx.authority.issue(['new.example.com']);
    await fx.certificates.put('new.example.com', next);
    const second = await fx.dialTls('new.example.com');
    assert.notEqual(second.getPeerCertificate().serialNumber, first.getPeerCertificate().serialNumber);
    assert.equal(await fx.certificates.readChain('new.example.com'), `${next.chain.trim()}\n`);
    await fx.certificates.remove('new.example.com');
    await fx.certificates.remove('new.example.com');
    await assert.rejects(fx.dialTls('new.example.com'));
    for (const socket of [first, second]) socket.destroy();
  });

  it('a wildcard serves the names one label below it, and their own certificate goes first', async () => {
    await fx.certificates.put('*.wild.example.com', await fx.authority.issue(['*.wild.example.com']));
    await fx.serve('own.wild.example.com', echo);
    const names = async (servername: string) => {
      const socket = await fx.dialTls(servername);
      const { subjectaltname } = socket.getPeerCertificate();
      socket.destroy();
      return subjectaltname;
    };
    assert.equal(await names('any.wild.example.com'), 'DNS:*.wild.example.com');
    assert.equal(await names('own.wild.example.com'), 'DNS:own.wild.example.com');
    await assert.rejects(names('a.any.wild.example.com'));
    await assert.rejects(names('wild.example.com'));
  });

  it('more hosts than contexts that are kept are served all the same', async () => {
    const many = Array.from({ length: 5 }, (_, index) => `host-${index}.example.com`);
    for (const host of many) await fx.serve(host, echo);
    for (const host of [...many, ...many]) assert.equal((await fx.askTls(host)).status, 200, host);
  });

  it('a certificate that cannot be used is refused and told of, and the others are served', async () => {
    await fx.serve('broken.example.com', echo);
    await writeFile(join(fx.edge.directory, 'certificates', 'broken.example.com.pem'), 'no certificate');
    fx.edge.errors.length = 0;
    await assert.rejects(fx.dialTls('broken.example.com'));
    assert.match(String(fx.edge.errors[0]), /broken\.example\.com\.pem cannot be used/);
    assert.equal((await fx.askTls('shop.example.com')).status, 200);
  });

  it('opens WebSockets', async () => {
    await fx.serve('ws.example.com', () => undefined);
    const { server, address } = await fx.edge.upstream(() => undefined);
    server.on('upgrade', (_request, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      socket.pipe(socket);
    });
    await fx.edge.router.route('ws-example-com', 'prod', { workloadId: 'ws', address }, 2);
    const socket = await fx.dialTls('ws.example.com');
    let received = '';
    socket.setEncoding('utf8').on('data', (part) => {
      received += part;
    });
    socket.write(handshake('ws.example.com'));
    await waitUntil('the connection is switched', () => received.endsWith('\r\n\r\n'));
    socket.write('ping');
    await waitUntil('the echo', () => received.endsWith('ping'));
    socket.destroy();
  });

  it('cuts who does not finish its handshake, however often it sends a byte, and who opens HTTP/2 and asks nothing', async () => {
    const hello = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]);
    const bare = ['says nothing', 'stops', 'sends slowly'].map(() => fx.dialBare());
    const [, stopped, slow] = bare;
    // Whatever was sent and not read has the connection reset.
    const closed = bare.map(async (socket) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      socket.on('error', () => undefined).once('close', () => resolve());
      socket.resume();
      await promise;
    });
    stopped?.write(hello);
    slow?.write(hello);
    const drip = setInterval(() => slow?.write(Buffer.from([0])), 50);
    const idle = await fx.http2('shop.example.com');
    await Promise.all([...closed, once(idle, 'close')]);
    clearInterval(drip);
  });

  it('lets requests end before it closes', async () => {
    const own = await makeTlsFixture();
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await own.serve('shop.example.com', (_request, response) => {
      asked.resolve();
      void held.promise.then(() => response.end('whole'));
    });
    const session = await own.http2('shop.example.com');
    const answer = askHttp2(session);
    await asked.promise;
    const closed = own.listener.close(20_000);
    held.resolve();
    assert.equal((await answer).body, 'whole');
    await closed;
    await own.end().catch(() => undefined);
  });
});
