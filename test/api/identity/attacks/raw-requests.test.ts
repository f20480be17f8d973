import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { assertNotLogged } from '../../../support/not-logged.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { type Headless, seedHeadless } from '../embed/embed-fixture.ts';
import { authorizePath } from '../pages/browse.ts';

const PASSWORD = 'correct horse battery';
const REDIRECT = 'https://shop.example/api/auth/callback';
const EVIL = 'idp.evil.example';

/** Requests as bytes, which no client library would send. */
describe('a request that was made by hand', () => {
  let idp: TestIdp;
  let acme: Headless;
  let shopSecret: string;
  before(async () => {
    idp = await startIdp();
    acme = await seedHeadless(idp, 'acme');
    await idp.seedUser('ada@example.com', { password: PASSWORD, org: 'acme' });
    ({ secret: shopSecret } = await idp.seedClient('shop-prod', { redirectUris: [REDIRECT], orgSlug: 'acme' }));
    await idp.seedClient('tv', {
      clientType: 'public',
      allowedGrantTypes: ['urn:ietf:params:oauth:grant-type:device_code'],
    });
  });
  after(() => idp.stop());

  /** Sends bytes on a connection of their own and reads until it closes. @returns status and whole answer */
  async function raw(...parts: readonly (string | Uint8Array)[]): Promise<{ status: number; text: string }> {
    const { hostname, port } = new URL(idp.address);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    // A server that refuses early may close while the rest is being written.
    socket.on('error', () => {});
    for (const part of parts) socket.write(part);
    await once(socket, 'close', { signal: AbortSignal.timeout(20_000) });
    return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text };
  }

  const head = (line: string, ...headers: readonly string[]): string =>
    `${[`${line} HTTP/1.1`, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;
  const withBody = (body: string, line: string, ...headers: readonly string[]): string =>
    `${head(line, 'Host: x', `Content-Length: ${Buffer.byteLength(body)}`, ...headers)}${body}`;
  const FORM = 'Content-Type: application/x-www-form-urlencoded';
  const JSON_TYPE = 'Content-Type: application/json';

  describe('with the Host of somebody else', () => {
    const lies = [
      [`Host: ${EVIL}`],
      ['Host: localhost', `X-Forwarded-Host: ${EVIL}`, 'X-Forwarded-Proto: https', `Forwarded: host=${EVIL}`],
      ['Host: localhost', `X-Original-Host: ${EVIL}`, `X-Host: ${EVIL}`, `X-Forwarded-Server: ${EVIL}`],
    ];

    it('gets documents, redirects and pages that never heard of it', async () => {
      const paths = [
        '/.well-known/openid-configuration',
        '/openapi.json',
        '/',
        '/login',
        '/oauth/device',
        '/account',
        authorizePath({ client_id: 'shop-prod', redirect_uri: REDIRECT }),
        authorizePath({ client_id: 'shop-prod', redirect_uri: `https://${EVIL}/` }),
      ];
      for (const headers of lies) {
        for (const path of paths) {
          const { status, text } = await raw(head(`GET ${path}`, ...headers));
          assert.ok(status >= 200 && status < 500, `${path}: ${status}`);
          // What a person sent along is shown on no page either, but is in the address that is refused.
          assert.equal(text.includes(EVIL) && !path.includes(EVIL), false, `${headers.join()} ${path}:\n${text}`);
        }
        const absolute = await raw(head(`GET http://${EVIL}/.well-known/openid-configuration`, ...headers));
        assert.equal(absolute.text.includes(EVIL), false);
      }
    });

    it('mails links and starts device logins at the address of the installation', async () => {
      for (const headers of lies) {
        const body = JSON.stringify({ email: 'ada@example.com' });
        const client = [`X-Client-Id: ${acme.clientId}`, `X-Client-Secret: ${acme.secret}`, JSON_TYPE];
        const length = `Content-Length: ${body.length}`;
        const before = idp.mailbox.length;
        const sent = await raw(head('POST /api/embed/forgot-password', ...headers, ...client, length), body);
        assert.equal(sent.status, 200, sent.text);
        await arrived(before + 1);
        const { text, html } = idp.mailbox.at(-1) ?? { text: '', html: '' };
        assert.equal(`${text}${html}`.includes(EVIL), false);
        assert.match(text, new RegExp(`${idp.issuer}/login/reset`));
        const form = 'client_id=tv&scope=openid';
        const length2 = `Content-Length: ${form.length}`;
        const device = await raw(head('POST /api/oauth/device_authorization', ...headers, FORM, length2), form);
        assert.equal(device.status, 200, device.text);
        assert.equal(device.text.includes(EVIL), false);
      }
    });

    async function arrived(count: number): Promise<void> {
      const deadline = Date.now() + 5_000;
      while (idp.mailbox.length < count) {
        if (Date.now() > deadline) throw new Error('the mail did not arrive');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  });

  describe('with two lengths or two secrets', () => {
    it('that says where its body ends in two ways is refused: nothing can be hidden behind it', async () => {
      const hidden = 'GET /api/v2/users HTTP/1.1\r\nHost: x\r\n\r\n';
      const both = head('POST /api/oauth/token', 'Host: x', FORM, 'Content-Length: 4', 'Transfer-Encoding: chunked');
      const twice = head('POST /api/oauth/token', 'Host: x', FORM, 'Content-Length: 0', 'Content-Length: 60');
      const folded = head(
        'POST /api/oauth/token',
        'Host: x',
        FORM,
        'Transfer-Encoding:\r\n chunked',
        'Content-Length: 4',
      );
      const bare = both.replaceAll('\r\n', '\n');
      for (const start of [both, twice, folded, bare]) {
        const { status, text } = await raw(start, `0\r\n\r\n${hidden}`);
        assert.equal(status, 400, text);
        assert.equal(text.split('HTTP/1.1 ').length, 2, 'one answer');
      }
    });

    it('is no client by a secret that came in a header of another name', async () => {
      const body = JSON.stringify({ email: 'ada@example.com', password: PASSWORD });
      const spellings = [
        [`X_Client_Id: ${acme.clientId}`, `X_Client_Secret: ${acme.secret}`],
        [`X-Client-Id: ${acme.clientId}`, `X_Client_Secret: ${acme.secret}`],
        [`X-Client-Id: ${acme.clientId}`, `X-Client-Secret : ${acme.secret}`],
        [`X-Client-Id: ${acme.clientId}`, `X-Client-Secret: \r\n ${acme.secret}`],
        [`X-Client-Id: ${acme.clientId}`, `Cookie: X-Client-Secret=${acme.secret}`],
        [`X-Client-Id: ${acme.clientId}`, `X-Client-Secret: ${acme.secret}\x00`],
      ];
      for (const headers of spellings) {
        const { status, text } = await raw(withBody(body, 'POST /api/embed/login', JSON_TYPE, ...headers));
        assert.ok(status === 401 || status === 400, `${headers.join()}: ${text}`);
      }
      const [query, inBody] = [
        withBody(
          body,
          `POST /api/embed/login?x-client-secret=${acme.secret}`,
          JSON_TYPE,
          `X-Client-Id: ${acme.clientId}`,
        ),
        withBody(
          JSON.stringify({ ...JSON.parse(body), client_secret: acme.secret }),
          ...(['POST /api/embed/login', JSON_TYPE, `X-Client-Id: ${acme.clientId}`] as const),
        ),
      ];
      for (const request of [query, inBody]) assert.ok([400, 401].includes((await raw(request)).status));
      const right = [`X-Client-Id: ${acme.clientId}`, `x-client-SECRET:   ${acme.secret}  `];
      assert.equal((await raw(withBody(body, 'POST /api/embed/login', JSON_TYPE, ...right))).status, 200);
    });

    it('with a trailer that holds the credential is no client', async () => {
      const body = JSON.stringify({ email: 'ada@example.com', password: PASSWORD });
      const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n`;
      const trailer = `X-Client-Id: ${acme.clientId}\r\nX-Client-Secret: ${acme.secret}\r\n\r\n`;
      const headers = ['Host: x', JSON_TYPE, 'Transfer-Encoding: chunked', 'Trailer: X-Client-Id, X-Client-Secret'];
      assert.equal((await raw(head('POST /api/embed/login', ...headers), chunk + trailer)).status, 401);
    });

    it('that names its client twice gets no token, whichever of the two is right', async () => {
      const good = `grant_type=client_credentials&client_id=shop-prod&client_secret=${shopSecret}`;
      assert.equal((await raw(withBody(good, 'POST /api/oauth/token', FORM))).status, 200);
      const basic = (id: string) => `Authorization: Basic ${Buffer.from(`${id}:${shopSecret}`).toString('base64')}`;
      const requests = [
        withBody(`${good}&client_id=acme-prod`, 'POST /api/oauth/token', FORM),
        withBody(`client_id=acme-prod&${good}`, 'POST /api/oauth/token', FORM),
        withBody(`${good}&client_secret=flcs_wrong`, 'POST /api/oauth/token', FORM),
        withBody(`${good}&grant_type=refresh_token`, 'POST /api/oauth/token', FORM),
        withBody(`${good}&client%5Fid=acme-prod`, 'POST /api/oauth/token', FORM),
        withBody(good, 'POST /api/oauth/token', FORM, basic('shop-prod')),
        withBody(good, 'POST /api/oauth/token', FORM, basic('acme-prod')),
        withBody(good, 'POST /api/oauth/token', JSON_TYPE),
      ];
      for (const request of requests) {
        const { status, text } = await raw(request);
        assert.ok(status === 400 || status === 401, text);
        assert.equal(text.includes('access_token"'), false);
      }
      const inUrl = await raw(withBody('', `POST /api/oauth/token?${good}`, FORM));
      assert.ok(inUrl.status >= 400 && inUrl.status < 500, 'credentials in a URL would be in logs');
    });
  });

  it('puts no header into an answer, whatever a parameter holds', async () => {
    const line = '%0d%0aSet-Cookie:%20fl-session=planted%0d%0aX-Planted:%201%0d%0a%0d%0a<script>';
    const shop = authorizePath({ client_id: 'shop-prod', redirect_uri: REDIRECT, state: undefined });
    const paths = [
      // Answers the client at once, with its state, because nobody is signed in.
      `${shop}&prompt=none&state=${line}`,
      `${shop}&scope=${line}&state=${line}`,
      `/oauth/authorize?client_id=${line}&redirect_uri=${line}`,
      `/login?return_to=${line}`,
      `/login?return_to=/account${line}`,
      `/oauth/device?user_code=${line}`,
      `/oauth/logout?client_id=shop-prod&state=${line}`,
      `/login/magic?token=${line}`,
      `/assets/${line}`,
    ];
    for (const path of paths) {
      const { status, text } = await raw(head(`GET ${path}`, 'Host: x'));
      const [headers = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
      assert.ok(status >= 200 && status < 500, `${path}: ${status}`);
      assert.doesNotMatch(headers, /^(x-planted|set-cookie: fl-session=planted)/im, path);
      assert.equal(body.includes('<script>'), false, path);
    }
    const sent = await raw(head(`GET ${shop}&prompt=none&state=${line}`, 'Host: x'));
    assert.match(
      sent.text,
      /^location: https:\/\/shop\.example\/[^\r]*state=%0D%0ASet-Cookie/im,
      'the state arrives as sent',
    );
  });

  describe('without end', () => {
    it('is cut off at the size that the route takes, however it is sent', async () => {
      const many = `grant_type=${'x'.repeat(100_000)}`;
      const large = JSON.stringify({ grant_type: 'x'.repeat(3_000_000) });
      assert.equal((await raw(withBody(many, 'POST /api/oauth/token', FORM))).status, 413);
      assert.equal((await raw(withBody(large, 'POST /api/oauth/token', JSON_TYPE))).status, 413);
      const chunked = head('POST /api/oauth/token', 'Host: x', JSON_TYPE, 'Transfer-Encoding: chunked');
      const chunk = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
      assert.equal((await raw(chunked, chunk)).status, 413);
      const bomb = gzipSync(Buffer.alloc(200_000_000, 32));
      const zipped = head(
        'POST /api/oauth/token',
        'Host: x',
        JSON_TYPE,
        'Content-Encoding: gzip',
        `Content-Length: ${bomb.length}`,
      );
      assert.equal((await raw(zipped, bomb)).status, 413);
      const answer = await idp.call('POST', '/api/oauth/token', { json: { grant_type: 'x'.repeat(3_000_000) } });
      assert.deepEqual([answer.status, answer.body.error], [413, 'invalid_request']);
    });

    it('that is not compressed as it says is refused', async () => {
      for (const encoding of ['gzip', 'deflate', 'br']) {
        const sent = withBody('no such thing', 'POST /api/oauth/token', JSON_TYPE, `Content-Encoding: ${encoding}`);
        assert.equal((await raw(sent)).status, 400, encoding);
      }
      const cut = gzipSync('{"grant_type":"client_credentials"}').subarray(0, 20);
      const headers = ['Host: x', JSON_TYPE, 'Content-Encoding: gzip', `Content-Length: ${cut.length}`];
      assert.equal((await raw(head('POST /api/oauth/token', ...headers), cut)).status, 400);
      const unknown = withBody('{}', 'POST /api/oauth/token', JSON_TYPE, 'Content-Encoding: zip');
      assert.equal((await raw(unknown)).status, 415);
    });

    it('is refused when it nests, repeats or lists without end, and the provider goes on', async () => {
      const deep = `{"grant_type":${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
      assert.equal((await raw(withBody(deep, 'POST /api/oauth/token', JSON_TYPE))).status, 400);
      const wide = Array.from({ length: 200 }, (_, index) => `field${index}=1`).join('&');
      const answer = await raw(withBody(wide, 'POST /api/oauth/token', FORM));
      assert.equal(answer.status, 413, answer.text);
      const audiences = Array.from({ length: 50 }, () => 'audience=x').join('&');
      assert.equal(
        (await raw(withBody(`grant_type=client_credentials&${audiences}`, 'POST /api/oauth/token', FORM))).status,
        400,
      );
      const header = head('GET /login', 'Host: x', `Cookie: ${'x'.repeat(20_000)}`);
      assert.equal((await raw(header)).status, 431);
      assert.equal((await idp.call('GET', '/health')).status, 200);
    });

    it('is told what is wrong with its JSON without being shown it', async () => {
      const secret = 'flcs_this-must-not-come-back';
      const { status, text } = await raw(withBody(`{"client_secret":"${secret}"`, 'POST /api/oauth/token', JSON_TYPE));
      assert.equal(status, 400);
      assert.equal(text.includes(secret), false);
      assertNotLogged(idp.logged, '/api/oauth/token', [secret]);
    });
  });

  it('is never the fault of the provider', () => {
    assert.deepEqual(
      idp.logged.filter((line) => JSON.parse(line).level >= 50),
      [],
    );
  });
});
