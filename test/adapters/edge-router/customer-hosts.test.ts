import assert from 'node:assert/strict';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { waitUntil } from '../../support/wait-until.ts';
import { makeTlsFixture, type TlsFixture } from './tls-fixture.ts';

const TOKEN = 'LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0';
const ANSWER = `${TOKEN}.9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI`;
const CHALLENGE = `/.well-known/acme-challenge/${TOKEN}`;

const say =
  (what: string): RequestListener =>
  (_request, response) =>
    void response.end(what);

describe('host names of customers', () => {
  let fx: TlsFixture;
  before(async () => {
    fx = await makeTlsFixture();
    await fx.serve('shop.example.com', say('the shop'));
  });
  after(() => fx.end());

  it('lead to their service, in any spelling of the header, as long as they are there', async () => {
    for (const host of ['shop.example.com', 'SHOP.Example.com:8000', 'shop.example.com.']) {
      assert.deepEqual((await fx.edge.ask(host)).body, 'the shop');
    }
    await fx.serve('gone.example.com', say('gone'));
    assert.equal((await fx.edge.ask('gone.example.com')).status, 200);
    await fx.hosts.remove('gone.example.com');
    assert.equal((await fx.edge.ask('gone.example.com')).status, 404);
  });

  it('do not lead anywhere by a name that leaves the folder', async () => {
    await writeFile(join(fx.edge.directory, 'other.json'), '{"service":"shop-example-com","environment":"prod"}');
    for (const host of [
      '../other',
      '..%2fother',
      'hosts/shop.example.com',
      'localhost',
      '127.0.0.1',
      '[::1]',
      'a_b.example.com',
    ]) {
      const { status } = await fx.edge.ask(host);
      assert.ok(status === 404 || status === 400, `${host}: ${status}`);
    }
  });

  it('take no name from the platform’s own domain', async () => {
    const { address } = await fx.edge.upstream(say('the platform’s'));
    await fx.edge.router.route('own', 'prod', { workloadId: 'x', address }, 1);
    await fx.hosts.put('own.prod.localhost', {
      ...{ service: 'shop-example-com', environment: 'prod', serves: 'everything', redirectToTls: false },
    });
    assert.equal((await fx.edge.ask('own.prod.localhost')).body, 'the platform’s');
    await fx.hosts.remove('own.prod.localhost');
  });

  it('a file that cannot be read takes its own host away and no other', async () => {
    await fx.serve('bad.example.com', say('bad'));
    await writeFile(join(fx.edge.directory, 'hosts', 'bad.example.com.json'), '{"service":');
    fx.edge.errors.length = 0;
    assert.equal((await fx.edge.ask('bad.example.com')).status, 503);
    assert.match(String(fx.edge.errors[0]), /bad\.example\.com\.json/);
    assert.equal((await fx.edge.ask('shop.example.com')).status, 200);
  });

  it('tell browsers to come over TLS alone where that is wished for: over TLS, and unless the service says it itself', async () => {
    const own = 'max-age=1';
    await fx.serve(
      'strict.example.com',
      ({ url }, response) => {
        if (url === '/own') response.setHeader('strict-transport-security', own);
        response.end('strict');
      },
      { hsts: true },
    );
    const saidBy = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
      headers['strict-transport-security'];
    assert.equal(saidBy(await fx.askTls('strict.example.com')), 'max-age=15552000');
    assert.equal(saidBy(await fx.askTls('strict.example.com', { path: '/own' })), own);
    assert.equal(saidBy(await fx.edge.ask('strict.example.com')), undefined);
    assert.equal(saidBy(await fx.askTls('shop.example.com')), undefined);
  });

  describe('that are not verified', () => {
    before(async () => {
      await fx.serve('new.example.com', say('new'), { serves: 'challenge-only', redirectToTls: true });
      await fx.challenges.put('new.example.com', TOKEN, ANSWER);
    });

    it('answer the challenge, over both, and nothing else', async () => {
      assert.deepEqual((await fx.edge.ask('new.example.com', { path: CHALLENGE })).body, ANSWER);
      assert.deepEqual((await fx.askTls('new.example.com', { path: CHALLENGE })).body, ANSWER);
      for (const path of ['/', '/.well-known/acme-challenge/', `${CHALLENGE}x`]) {
        assert.equal((await fx.edge.ask('new.example.com', { path })).status, 404);
        assert.equal((await fx.askTls('new.example.com', { path })).status, 404);
      }
    });

    it('a challenge that cannot be read, or is longer than the name of a file, is not there', async () => {
      const long = `/.well-known/acme-challenge/${'a'.repeat(256)}`;
      assert.equal((await fx.edge.ask('new.example.com', { path: long })).status, 404);
      await mkdir(join(fx.edge.directory, 'challenges', 'new.example.com', 'folder'));
      fx.edge.errors.length = 0;
      assert.equal((await fx.edge.ask('new.example.com', { path: '/.well-known/acme-challenge/folder' })).status, 404);
      assert.match(String(fx.edge.errors[0]), /EISDIR/);
    });

    it('are not a host that another one is led to', async () => {
      await fx.serve('www.new.example.com', say('www'), { redirectTo: 'new.example.com', redirectToTls: true });
      assert.equal((await fx.askTls('www.new.example.com')).body, 'www');
    });
  });

  describe('challenges', () => {
    before(() => fx.challenges.put('shop.example.com', TOKEN, ANSWER));

    it('are answered for their host alone, before the service is asked, and not after they are removed', async () => {
      assert.equal((await fx.edge.ask('shop.example.com', { path: CHALLENGE })).body, ANSWER);
      assert.equal((await fx.edge.ask('other.example.com', { path: CHALLENGE })).status, 404);
      assert.equal((await fx.edge.ask('shop.example.com', { path: CHALLENGE, method: 'POST' })).body, 'the shop');
      await fx.challenges.put('shop.example.com', 'another', 'another.thumb');
      await fx.challenges.remove('shop.example.com', 'another');
      await fx.challenges.remove('shop.example.com', 'another');
      const path = '/.well-known/acme-challenge/another';
      assert.equal((await fx.edge.ask('shop.example.com', { path })).body, 'the shop');
    });

    it('name no file elsewhere', async () => {
      await writeFile(join(fx.edge.directory, 'challenges', 'secret'), 'SECRET');
      await writeFile(join(fx.edge.directory, 'secret'), 'SECRET');
      const below = '/.well-known/acme-challenge/';
      const paths = [
        ...['../secret', '..%2fsecret', '%2e%2e/secret', '..%5csecret', '../../secret', './../secret', '..;/secret'],
        ...[`../shop.example.com/${TOKEN}`, '%2e%2e%2fsecret', '\u00e9', 'a%00b', `${TOKEN}/../../secret`],
      ];
      for (const path of paths.map((path) => below + path)) {
        const asked = fx.edge.dial(`GET ${path} HTTP/1.1\r\nHost: shop.example.com\r\nConnection: close\r\n\r\n`);
        const text = await waitUntil(path, () => (asked.socket.closed ? asked.received() : null));
        assert.doesNotMatch(text, /SECRET|thumb|9jg46WB3rR/, path);
      }
      for (const token of ['../secret', '', 'a/b', 'a.b', 'x'.repeat(257)]) {
        await assert.rejects(fx.challenges.put('shop.example.com', token, 'x'), { code: 'VALIDATION_FAILED' });
        await assert.rejects(fx.challenges.remove('../shop.example.com', token), { code: 'VALIDATION_FAILED' });
      }
    });

    it('are read by this user alone', async () => {
      const folder = join(fx.edge.directory, 'challenges', 'shop.example.com');
      assert.equal((await stat(join(folder, TOKEN))).mode & 0o777, 0o600);
      assert.equal((await stat(folder)).mode & 0o777, 0o700);
      const certificate = join(fx.edge.directory, 'certificates', 'shop.example.com.pem');
      assert.equal((await stat(certificate)).mode & 0o777, 0o600);
      await chmod(certificate, 0o600);
    });
  });

  describe('redirects', () => {
    const locationOf = async (host: string, path = '/') => {
      const { status, headers } = await fx.edge.ask(host, { path });
      return status === 308 ? headers.location : `${status}`;
    };

    it('lead to https once TLS was seen served, with path and query, and leave the challenge', async () => {
      await fx.serve('a.example.com', say('a'));
      assert.equal(await locationOf('a.example.com'), '200');
      await fx.serve('a.example.com', say('a'), { redirectToTls: true });
      assert.equal(await locationOf('a.example.com', '/x?y=%2F'), 'https://a.example.com/x?y=%2F');
      assert.equal(await locationOf('a.example.com', '//evil.example/'), 'https://a.example.com//evil.example/');
      assert.equal((await fx.askTls('a.example.com')).body, 'a');
      await fx.challenges.put('a.example.com', TOKEN, ANSWER);
      assert.equal((await fx.edge.ask('a.example.com', { path: CHALLENGE })).body, ANSWER);
    });

    it('lead www to the apex once both were seen served over TLS', async () => {
      const same = { service: 'shop-example-com' };
      await fx.serve('b.example.com', say('b'), same);
      await fx.serve('www.b.example.com', say('www'), { ...same, redirectTo: 'b.example.com', redirectToTls: true });
      assert.equal(await locationOf('www.b.example.com', '/p'), 'https://www.b.example.com/p');
      assert.equal((await fx.askTls('www.b.example.com')).status, 200);
      await fx.serve('b.example.com', say('b'), { ...same, redirectToTls: true });
      assert.equal(await locationOf('www.b.example.com', '/p'), 'https://b.example.com/p');
      const { status, headers } = await fx.askTls('www.b.example.com', { path: '/p' });
      assert.deepEqual([status, headers.location], [308, 'https://b.example.com/p']);
    });

    it('lead to no host of another service', async () => {
      await fx.serve('c.example.com', say('c'), { redirectToTls: true });
      await fx.serve('www.c.example.com', say('www'), { redirectTo: 'c.example.com', redirectToTls: true });
      await fx.serve('d.example.com', say('d'), { redirectTo: 'evil.example.net', redirectToTls: true });
      assert.equal((await fx.askTls('www.c.example.com')).body, 'www');
      assert.equal((await fx.askTls('d.example.com')).body, 'd');
    });
  });
});
