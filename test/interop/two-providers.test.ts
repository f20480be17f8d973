import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeProtectedHeader } from 'jose';
import { createTokenVerifier } from '../../sdk/index.ts';
import { answerOf, authorizePath, type Browser, createBrowser, createPkce } from '../api/identity/pages/browse.ts';
import { countDenylistReads, untilRefused } from '../support/denylist-reads.ts';
import { type Providers, startProviders } from '../support/provider-processes.ts';
import type { Answer } from '../support/start-idp.ts';
import { DEVICE_GRANT } from './relying-parties.ts';

const REDIRECT = 'https://shop.example/api/auth/callback';
const CLIENT = 'shop-prod';
const AT_ONCE = 50;

describe('two processes of the provider on one database', () => {
  let providers: Providers;
  let secret: string;
  /** Somebody signed in, whose requests go to either process in turn. */
  let person: Browser;
  before(async () => {
    providers = await startProviders(2);
    const { body, text } = await internal(1, 'POST', '/api/internal/oauth-clients', {
      clientId: CLIENT,
      name: 'The Shop',
      orgSlug: 'platform',
      redirectUris: [REDIRECT],
      allowedGrantTypes: ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_GRANT],
    });
    secret = body?.data?.clientSecret;
    assert.ok(secret, text);
    person = await firstAdmin();
  });
  after(() => providers?.stop());

  const internal = (index: number, method: string, path: string, json: unknown): Promise<Answer> =>
    providers.call(index, method, path, { json, headers: { 'x-internal-key': providers.internalKey } });

  let turn = 0;
  /** The first account, made at one process with the link that the other wrote. */
  async function firstAdmin(): Promise<Browser> {
    const browser = createBrowser({
      issuer: providers.issuer,
      call: (method, path, options) => {
        turn += 1;
        return providers.call(turn % 2, method, path, options);
      },
    });
    const { pathname, search } = new URL(await providers.firstAdminLink());
    const names = {
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.com',
      password: 'correct horse battery',
    };
    const welcome = await browser.open(pathname + search);
    await browser.follow(await browser.submit(welcome, '/welcome', names));
    assert.equal((await browser.open('/account')).title, 'Your account');
    return browser;
  }

  const token = (index: number, form: Record<string, string>): Promise<Answer> =>
    providers.call(index, 'POST', '/api/oauth/token', { form: { client_id: CLIENT, client_secret: secret, ...form } });
  const refresh = (index: number, refreshToken: string): Promise<Answer> =>
    token(index, { grant_type: 'refresh_token', refresh_token: refreshToken });
  /** Fifty at once, half at each. */
  const everywhere = <T>(ask: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, index) => ask(index % 2)));

  /** A code as the pages hand it out, with what redeems it. */
  async function newCode(): Promise<Record<string, string>> {
    const { verifier, challenge } = createPkce();
    const path = authorizePath({ client_id: CLIENT, redirect_uri: REDIRECT, code_challenge: challenge });
    let page = await person.open(path);
    if (page.location === null) page = await person.submit(page, '/oauth/authorize/decision', { decision: 'allow' });
    const { code = '' } = answerOf(page);
    return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT };
  }
  const login = async (): Promise<Record<string, string>> => (await token(0, await newCode())).body;

  async function isActive(index: number, presented: string | undefined): Promise<boolean> {
    const form = { client_id: CLIENT, client_secret: secret, token: presented ?? '' };
    return (await providers.call(index, 'POST', '/api/oauth/introspect', { form })).body.active;
  }

  it('a code that is redeemed at both at once gives tokens once at most, and its login ends', async () => {
    const form = await newCode();
    const answers = await everywhere((index) => token(index, form));
    const won = answers.filter(({ status }) => status === 200);
    // The second use ends the login, which may come before the first has its tokens.
    assert.ok(won.length <= 1, `${won.length} got tokens`);
    for (const { status, body } of answers.filter((one) => !won.includes(one))) {
      assert.deepEqual([status, body.error], [400, 'invalid_grant']);
    }
    for (const { body } of won) {
      for (const index of [0, 1]) assert.equal(await isActive(index, body.access_token), false);
    }
  });

  it('a refresh token that is used at both at once makes one pair, which all get', async () => {
    const { refresh_token: first = '' } = await login();
    const answers = await everywhere((index) => refresh(index, first));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const pairs = new Set(answers.map(({ body }) => `${body.access_token} ${body.refresh_token}`));
    assert.equal(pairs.size, 1);
    const next = answers[0]?.body.refresh_token;
    assert.equal((await refresh(1, next)).status, 200);
    assert.equal((await refresh(0, first)).body.error, 'invalid_grant', 'two generations old');
    assert.equal((await refresh(1, next)).body.error, 'invalid_grant', 'the login has ended at both');
  });

  it('a device code that is polled at both at once gives tokens once', async () => {
    const form = { client_id: CLIENT, client_secret: secret, scope: 'openid' };
    const device = await providers.call(0, 'POST', '/api/oauth/device_authorization', { form });
    const { user_code: userCode, device_code: deviceCode } = device.body;
    const confirm = await person.submit(await person.open('/oauth/device'), '/oauth/device', { user_code: userCode });
    await person.submit(confirm, '/oauth/device/decision', { decision: 'allow' });
    const answers = await everywhere((index) => token(index, { grant_type: DEVICE_GRANT, device_code: deviceCode }));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  it('an invitation that is taken at both at once makes one account', async () => {
    await internal(0, 'POST', '/api/v2/orgs', { slug: 'acme', name: 'Acme' });
    const invited = { email: 'lin@acme.example', sendEmail: false };
    const { body } = await internal(1, 'POST', '/api/v2/orgs/acme/invites', invited);
    const { pathname, search } = new URL(body.data.inviteUrl);
    const pages = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const own = { issuer: providers.issuer, call: providers.call.bind(null, index % 2) };
        const browser = createBrowser(own);
        return { browser, page: await browser.open(pathname + search) };
      }),
    );
    const names = { firstName: 'Lin', lastName: 'Clark', password: 'correct horse battery' };
    const answers = await Promise.all(pages.map(({ browser, page }) => browser.submit(page, '/invites/accept', names)));
    assert.equal(answers.filter(({ status }) => status === 303).length, 1);
    const people = await internal(0, 'GET', '/api/v2/users?query=lin@acme.example', undefined);
    assert.equal(people.body.data.items.length, 1);
  });

  it('what is revoked at one is refused by the other at once, and by verifiers with their next read', async () => {
    const reads = countDenylistReads();
    const { access_token: access = '', refresh_token: first = '' } = await login();
    const verifier = createTokenVerifier({
      idpUrl: providers.addresses[1],
      issuer: providers.issuer,
      audience: CLIENT,
      revocations: { clientId: CLIENT, clientSecret: secret },
      fetch: reads.fetch,
    });
    const isAccepted = () =>
      verifier.verify(access).then(
        () => true,
        () => false,
      );
    try {
      assert.equal(await isActive(1, access), true);
      assert.equal((await verifier.verify(access)).claims.client_id, CLIENT);
      const form = { client_id: CLIENT, client_secret: secret, token: first };
      assert.equal((await providers.call(0, 'POST', '/api/oauth/revoke', { form })).status, 200);
      assert.equal(await isActive(1, access), false);
      assert.equal((await refresh(1, first)).body.error, 'invalid_grant');
      const bearer = { authorization: `Bearer ${access}` };
      assert.equal((await providers.call(1, 'GET', '/api/oauth/userinfo', { headers: bearer })).status, 401);
      await untilRefused(isAccepted, reads.begun);
      await assert.rejects(verifier.verify(access), { details: { reason: 'revoked' } });
    } finally {
      verifier.close();
    }
  });

  it('a key that one of them makes active is known to the other before its first token arrives', async () => {
    const mint = async (index: number): Promise<string> =>
      (await token(index, { grant_type: 'client_credentials' })).body.access_token;
    const before = decodeProtectedHeader(await mint(1)).kid;
    await providers.ageKeys();
    const rotated = await internal(0, 'POST', '/api/admin/keys/rotate', { force: true });
    assert.equal(rotated.status, 200, rotated.text);
    const fresh = await mint(0);
    assert.notEqual(decodeProtectedHeader(fresh).kid, before);
    assert.equal(await isActive(1, fresh), true);
    // The other goes on with the key before for a moment, which is published and good everywhere.
    const other = await mint(1);
    assert.equal(await isActive(0, other), true);
    const deadline = Date.now() + 15_000;
    while (decodeProtectedHeader(await mint(1)).kid === before) {
      assert.ok(Date.now() < deadline, 'the other process never signs with the new key');
      await delay(250);
    }
  });

  it('both rotate at once: there is one active key', async () => {
    await providers.ageKeys();
    await Promise.all([0, 1, 0, 1].map((index) => internal(index, 'POST', '/api/admin/keys/rotate', { force: false })));
    const { body } = await internal(1, 'GET', '/api/admin/keys', undefined);
    const states = body.data.keys.map(({ state }: { state: string }) => state);
    assert.equal(states.filter((state: string) => state === 'active').length, 1, states.join());
    assert.equal(states.filter((state: string) => state === 'next').length, 1, states.join());
  });

  it('a session that ends at one has ended at the other', async () => {
    const { access_token: access } = await login();
    const page = await person.request('GET', '/oauth/logout');
    await person.submit(page, '/oauth/logout/confirm');
    for (const index of [0, 1]) assert.equal(await isActive(index, access), false);
    for (const _ of [0, 1]) assert.equal((await person.open('/account')).title, 'Sign in');
  });
});
