import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { type Headless, ORIGIN, PASSWORD, seedHeadless } from './embed-fixture.ts';

let idp: TestIdp;
let acme: Headless;
const OPERATIONS = {
  signup: {
    email: 'a@example.com',
    password: PASSWORD,
    firstName: 'A',
    lastName: 'B',
    orgSlug: 'acme',
    emailVerified: true,
  },
  login: { email: 'a@example.com', password: PASSWORD },
  'magic-link': { email: 'a@example.com' },
  verify: { token: 'flot_x' },
  'forgot-password': { email: 'a@example.com' },
  'reset-password': { token: 'flot_x', password: PASSWORD },
  'set-initial-password': { email: 'a@example.com', orgSlug: 'acme', password: PASSWORD },
  refresh: { refresh_token: 'x' },
} as const;

before(async () => {
  idp = await startIdp();
  acme = await seedHeadless(idp, 'acme');
});
after(() => idp.stop());

test('no operation works without the id and secret of a client', async () => {
  const credentials: Record<string, string>[] = [
    {},
    { 'x-client-id': acme.clientId },
    { 'x-client-secret': acme.secret },
    { 'x-client-id': acme.clientId, 'x-client-secret': 'flcs_wrong' },
    { 'x-client-id': 'nobody', 'x-client-secret': acme.secret },
    { ...idp.internal },
  ];
  for (const [name, json] of Object.entries(OPERATIONS)) {
    for (const headers of credentials) {
      const { status, body } = await acme.call(name, json, headers);
      assert.deepEqual([status, body.error.code], [401, 'OAUTH_INVALID_CLIENT'], `${name} ${JSON.stringify(headers)}`);
    }
  }
});

test('a client that is not switched on as headless, public, or of a suspended org is refused', async () => {
  const off = await seedHeadless(idp, 'off', { headlessEnabled: false });
  assert.equal((await off.call('login', OPERATIONS.login)).status, 403);
  const open = await seedHeadless(idp, 'open', { clientType: 'public' });
  const asPublic = await open.call('login', OPERATIONS.login, { 'x-client-id': open.clientId });
  assert.equal(asPublic.status, 401);
  const gone = await seedHeadless(idp, 'gone');
  const org = await idp.deps.orgs.find('gone');
  await idp.deps.orgs.update(org?.id ?? '', { suspendedAt: new Date() });
  assert.equal((await gone.call('login', OPERATIONS.login)).status, 401);
  const fromPage = await gone.call('login', OPERATIONS.login, { 'x-client-id': gone.clientId, origin: ORIGIN });
  assert.equal(fromPage.status, 403);
});

test('a browser is refused, with or without the secret, unless the client lists its origin', async () => {
  for (const origin of ['https://evil.example', 'null', `${ORIGIN}.evil.example`, ORIGIN.toUpperCase(), `${ORIGIN}/`]) {
    for (const headers of [acme.headers, { 'x-client-id': acme.clientId }]) {
      const { status, body, headers: reply } = await acme.call('login', OPERATIONS.login, { ...headers, origin });
      assert.deepEqual([status, body.error.code], [403, 'ORIGIN_REFUSED'], origin);
      assert.equal(reply.get('access-control-allow-origin'), null);
    }
  }
  const unknown = await acme.call('login', OPERATIONS.login, { 'x-client-id': 'nobody', origin: ORIGIN });
  assert.deepEqual([unknown.status, unknown.body.error.code], [403, 'ORIGIN_REFUSED']);
});

test('a page of a listed origin may sign people in, and gets no refresh token', async () => {
  await idp.seedUser('page@example.com', { password: PASSWORD, org: 'acme' });
  const preflight = await fetch(`${idp.address}/api/embed/login`, {
    method: 'OPTIONS',
    headers: {
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-client-id',
    },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('access-control-allow-origin'), ORIGIN);
  assert.equal(preflight.headers.get('access-control-allow-credentials'), null);
  assert.doesNotMatch(preflight.headers.get('access-control-allow-headers') ?? '', /secret/i);
  const page = { 'x-client-id': acme.clientId, origin: ORIGIN };
  const login = await acme.call('login', { email: 'page@example.com', password: PASSWORD }, page);
  assert.equal(login.status, 200);
  assert.equal(login.headers.get('access-control-allow-origin'), ORIGIN);
  assert.match(login.headers.get('vary') ?? '', /Origin/i);
  assert.equal(login.body.refresh_token, undefined);
  const failed = await acme.call('login', { email: 'page@example.com', password: 'wrong' }, page);
  assert.equal(failed.status, 401);
  assert.equal(failed.headers.get('access-control-allow-origin'), ORIGIN);
});

test('what only a server may do is refused to a page, even with the secret', async () => {
  for (const headers of [acme.headers, { 'x-client-id': acme.clientId }]) {
    const page = { ...headers, origin: ORIGIN };
    const codes = [
      (await acme.call('signup', OPERATIONS.signup, page)).body.error.code,
      (await acme.call('set-initial-password', OPERATIONS['set-initial-password'], page)).body.error.code,
      (await acme.call('forgot-password', { email: 'a@example.com', sendEmail: false }, page)).body.error.code,
      (await acme.call('refresh', OPERATIONS.refresh, page)).body.error.code,
    ];
    assert.deepEqual(codes, [
      'TRUSTED_SIGNUP_REFUSED',
      'TRUSTED_SIGNUP_REFUSED',
      'SELF_SEND_REQUIRES_SECRET',
      'ORIGIN_REFUSED',
    ]);
  }
});

test('headers that are sent twice, or as a list, are refused whichever of them is right', async () => {
  const twice = [
    ['X-Client-Id', acme.clientId, 'X-Client-Secret', 'wrong', 'X-Client-Secret', acme.secret],
    ['X-Client-Id', acme.clientId, 'X-Client-Secret', acme.secret, 'X-Client-Secret', acme.secret],
    ['X-Client-Id', 'other-prod', 'X-Client-Id', acme.clientId, 'X-Client-Secret', acme.secret],
    ['X-Client-Id', acme.clientId, 'X-Client-Secret', `${acme.secret}, x`],
    ['X-Client-Id', `${acme.clientId},`, 'X-Client-Secret', acme.secret],
  ];
  for (const headers of twice) assert.equal(await rawLogin(headers), 401, headers.join(' '));
  assert.equal(
    await rawLogin([
      'X-Client-Id',
      acme.clientId,
      'X-Client-Secret',
      acme.secret,
      'Origin',
      ORIGIN,
      'Origin',
      'https://evil.example',
    ]),
    403,
  );
});

/** Header lines exactly as given, which `fetch` would join. */
function rawLogin(headers: readonly string[]): Promise<number> {
  const { hostname, port } = new URL(idp.address);
  const body = JSON.stringify(OPERATIONS.login);
  const all = [
    ...headers,
    'Host',
    `${hostname}:${port}`,
    'Content-Type',
    'application/json',
    'Content-Length',
    String(body.length),
  ];
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method: 'POST', path: '/api/embed/login', headers: all }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
