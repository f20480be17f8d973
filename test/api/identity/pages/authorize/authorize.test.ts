import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startIdp, type TestIdp } from '../../start-idp.ts';
import { answerOf, authorizePath, type Browser, createBrowser, createPkce, type Page } from '../browse.ts';

const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse battery';
const REDIRECT = 'https://shop.example/api/auth/callback';

describe('the authorization endpoint', () => {
  let idp: TestIdp;
  let ada: Browser;
  let secret = '';
  before(async () => {
    idp = await startIdp();
    await idp.seedUser(EMAIL, { password: PASSWORD });
    ({ secret } = await idp.seedClient('shop-prod', {
      name: 'The Shop',
      redirectUris: [REDIRECT],
      allowedScopes: ['openid', 'profile', 'email', 'offline_access', 'stock:read'],
    }));
    await idp.seedClient('trusted-prod', { redirectUris: [REDIRECT], trustedClient: true });
    ada = createBrowser(idp);
    await ada.logIn(EMAIL, PASSWORD);
  });
  after(() => idp.stop());

  const shop = (parameters: Record<string, string | undefined> = {}): string =>
    authorizePath({ client_id: 'shop-prod', redirect_uri: REDIRECT, ...parameters });
  const trusted = (parameters: Record<string, string | undefined> = {}): string =>
    authorizePath({ client_id: 'trusted-prod', redirect_uri: REDIRECT, ...parameters });

  /** Asks without following, as whoever is signed in. */
  const ask = (path: string, browser = ada): Promise<Page> => browser.request('GET', path);

  describe('asking for a code', () => {
    it('signs in, asks for consent, and sends code, state and issuer; the code is redeemed for tokens', async () => {
      const browser = createBrowser(idp);
      const { verifier, challenge } = createPkce();
      const login = await browser.open(shop({ code_challenge: challenge, scope: 'openid email', nonce: 'n-1' }));
      assert.equal(login.title, 'Sign in');
      assert.match(login.html, /to continue to <strong>The Shop<\/strong>/);
      const consent = await browser.follow(await browser.submit(login, '/login', { email: EMAIL, password: PASSWORD }));
      assert.equal(consent.title, 'The Shop asks for access');
      assert.match(consent.html, /See your e-mail address <code>email<\/code>/);
      const answer = await browser.submit(consent, '/oauth/authorize/decision', { decision: 'allow' });
      assert.equal(answer.status, 303);
      const { code = '', state, iss, ...rest } = answerOf(answer);
      assert.match(code, /^flac_/);
      assert.deepEqual({ state, iss, rest }, { state: 'state-of-the-client', iss: idp.issuer, rest: {} });

      const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT };
      const authorization = `Basic ${Buffer.from(`shop-prod:${secret}`).toString('base64')}`;
      const tokens = await idp.call('POST', '/api/oauth/token', { form, headers: { authorization } });
      assert.equal(tokens.status, 200);
      assert.equal(tokens.body.scope, 'openid email');
    });

    it('keeps the code as a hash, for a minute', async () => {
      const { code = '' } = answerOf(await ask(trusted()));
      const kept = await idp.deps.codes.find(idp.deps.tokens.hash(code));
      assert.ok(kept !== null);
      const seconds = (kept.expiresAt.getTime() - idp.deps.now().getTime()) / 1000;
      assert.ok(seconds > 50 && seconds <= 60, `${seconds} s`);
      assert.deepEqual(kept.methods, ['pwd']);
      assert.deepEqual(kept.audience, ['trusted-prod']);
    });

    it('does not ask again for what was agreed to, and asks for more', async () => {
      await idp.seedUser('consent@example.com', { password: PASSWORD });
      const browser = createBrowser(idp);
      await browser.logIn('consent@example.com', PASSWORD);
      const first = await ask(shop({ scope: 'openid' }), browser);
      await browser.submit(first, '/oauth/authorize/decision', { decision: 'allow' });
      assert.match(answerOf(await ask(shop({ scope: 'openid' }), browser)).code ?? '', /^flac_/);
      const more = await ask(shop({ scope: 'openid stock:read' }), browser);
      assert.equal(more.title, 'The Shop asks for access');
      assert.match(more.html, /Use stock for you: read/);
      assert.equal(
        (await ask(shop({ scope: 'openid', prompt: 'consent' }), browser)).title,
        'The Shop asks for access',
      );
    });

    it('asks every time for a native app: any program on the machine can use its name', async () => {
      const uri = 'http://127.0.0.1:4711/callback';
      await idp.seedClient('tool', { clientType: 'public', redirectUris: ['http://127.0.0.1/callback'] });
      const path = authorizePath({ client_id: 'tool', redirect_uri: uri });
      await ada.submit(await ask(path), '/oauth/authorize/decision', { decision: 'allow' });
      assert.equal((await ask(path)).title, 'Client tool asks for access');
      const silent = authorizePath({ client_id: 'tool', redirect_uri: uri, prompt: 'none' });
      assert.equal(answerOf(await ask(silent)).error, 'consent_required');
    });

    it('does not ask for trusted clients', async () => {
      assert.match(answerOf(await ask(trusted())).code ?? '', /^flac_/);
    });

    it('sends access_denied when the person does not agree', async () => {
      const consent = await ask(shop({ prompt: 'consent' }));
      const answer = await ada.submit(consent, '/oauth/authorize/decision', { decision: 'deny' });
      const { error, state, iss } = answerOf(answer);
      assert.deepEqual(
        { error, state, iss },
        { error: 'access_denied', state: 'state-of-the-client', iss: idp.issuer },
      );
    });

    it("takes the request as a form as well, which another site's page may send without our cookies", async () => {
      const stranger = createBrowser(idp);
      const form = new URLSearchParams(trusted().split('?')[1]);
      const answer = await stranger.request('POST', '/oauth/authorize', { form });
      assert.equal(answer.status, 303);
      assert.match(answerOf(await ask(answer.location ?? '')).code ?? '', /^flac_/);
    });

    it('refuses one that is too long for a header before it gets there', async () => {
      const long = 'x'.repeat(5_000);
      const form = new URLSearchParams(`${trusted().split('?')[1]}&anything=${long}`);
      assert.equal((await ada.request('POST', '/oauth/authorize', { form })).status, 400);
      assert.equal(answerOf(await ask(`${trusted()}&anything=${long}`)).error, 'invalid_request');
      const escaped = await ask(shop({ state: '%'.repeat(1_300) }), createBrowser(idp));
      assert.equal(answerOf(escaped).error, 'invalid_request');
    });

    it('leaves the query of a registered URI as it is', async () => {
      const uri = 'https://shop.example/cb?a=%2F&b';
      await idp.seedClient('with-query', { redirectUris: [uri], trustedClient: true });
      const { location } = await ask(authorizePath({ client_id: 'with-query', redirect_uri: uri }));
      assert.ok(location?.startsWith(`${uri}&code=flac_`));
    });
  });

  describe('prompt, max_age and login_hint', () => {
    it('prompt=none answers login_required, or consent_required, without a page', async () => {
      assert.equal(answerOf(await ask(shop({ prompt: 'none' }), createBrowser(idp))).error, 'login_required');
      assert.equal(answerOf(await ask(shop({ prompt: 'none', scope: 'openid profile' }))).error, 'consent_required');
      assert.match(answerOf(await ask(trusted({ prompt: 'none' }))).code ?? '', /^flac_/);
    });

    for (const parameters of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }]) {
      it(`${JSON.stringify(parameters)} asks for a login once, and its time is the new one`, async () => {
        const browser = createBrowser(idp);
        await browser.logIn(EMAIL, PASSWORD);
        idp.advance(2_000);
        const login = await browser.open(trusted(parameters));
        assert.equal(login.title, 'Sign in');
        const since = idp.deps.now();
        const done = await browser.follow(await browser.submit(login, '/login', { email: EMAIL, password: PASSWORD }));
        const code = await idp.deps.codes.find(idp.deps.tokens.hash(answerOf(done).code ?? ''));
        assert.ok(code !== null && code.authenticatedAt >= since);
      });
    }

    it('max_age lets a login through that is young enough, and no older one', async () => {
      const browser = createBrowser(idp);
      await browser.logIn(EMAIL, PASSWORD);
      assert.match(answerOf(await ask(trusted({ max_age: '600' }), browser)).code ?? '', /^flac_/);
      idp.advance(601_000);
      assert.equal((await browser.open(trusted({ max_age: '600' }))).title, 'Sign in');
    });

    it('id_token_hint of somebody else asks for a login, once; of the one who is there it asks for nothing', async () => {
      await idp.seedUser('grace@example.com', { password: PASSWORD });
      const grace = createBrowser(idp);
      await grace.logIn('grace@example.com', PASSWORD);
      const idTokenOf = async (browser: Browser): Promise<string> => {
        const { verifier, challenge } = createPkce();
        const { code = '' } = answerOf(await ask(native({ code_challenge: challenge }), browser));
        const form = { grant_type: 'authorization_code', client_id: 'phone', code, code_verifier: verifier };
        return (await idp.call('POST', '/api/oauth/token', { form: { ...form, redirect_uri: REDIRECT } })).body
          .id_token;
      };
      const native = (parameters: Record<string, string>): string =>
        authorizePath({ client_id: 'phone', redirect_uri: REDIRECT, ...parameters });
      await idp.seedClient('phone', { clientType: 'public', redirectUris: [REDIRECT], trustedClient: true });
      const own = native({ id_token_hint: await idTokenOf(ada), prompt: 'none' });
      assert.match(answerOf(await ask(own)).code ?? '', /^flac_/);
      for (const hint of [await idTokenOf(grace), 'eyJhbGciOiJub25lIn0.e30.']) {
        assert.equal(answerOf(await ask(native({ id_token_hint: hint, prompt: 'none' }))).error, 'login_required');
        const login = await ada.open(native({ id_token_hint: hint }));
        assert.equal(login.title, 'Sign in');
        const done = await ada.follow(await ada.submit(login, '/login', { email: EMAIL, password: PASSWORD }));
        assert.match(answerOf(done).code ?? '', /^flac_/);
      }
    });

    it('login_hint fills the address in', async () => {
      const login = await createBrowser(idp).open(shop({ login_hint: 'grace@example.com' }));
      assert.match(login.html, /id="email"[^>]* value="grace@example\.com"/);
    });
  });

  describe('requests that are not in order are answered to the client', () => {
    const WRONG: readonly [string, Record<string, string | undefined>, string][] = [
      ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
      ['PKCE downgraded to plain', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['PKCE downgraded by leaving the method out', { code_challenge_method: undefined }, 'invalid_request'],
      ['a challenge that is no SHA-256', { code_challenge: 'short' }, 'invalid_request'],
      ['no response_type', { response_type: undefined }, 'invalid_request'],
      ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
      ['the hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
      ['an answer in the fragment', { response_mode: 'fragment' }, 'invalid_request'],
      ['a scope that was not granted', { scope: 'openid admin:all' }, 'invalid_scope'],
      ['an audience of somebody else', { resource: 'https://bank.example' }, 'invalid_target'],
      ['a request object', { request: 'eyJhbGciOiJub25lIn0..' }, 'invalid_request'],
      ['a request object by reference', { request_uri: 'https://evil.example/r' }, 'invalid_request'],
      ['prompt=none together with another', { prompt: 'none login' }, 'invalid_request'],
      ['a max_age that is no number', { max_age: '-1' }, 'invalid_request'],
    ];
    for (const [what, parameters, expected] of WRONG) {
      it(`${what}: ${expected}`, async () => {
        const { error, state, iss, code } = answerOf(await ask(shop(parameters)));
        assert.deepEqual(
          { error, state, iss, code },
          {
            error: expected,
            state: 'state-of-the-client',
            iss: idp.issuer,
            code: undefined,
          },
        );
      });
    }

    for (const name of ['scope', 'state', 'code_challenge', 'response_type', 'anything']) {
      it(`${name} twice: invalid_request`, async () => {
        const { error } = answerOf(await ask(`${shop()}&${name}=1&${name}=2`));
        assert.equal(error, 'invalid_request');
      });
    }

    it('a client without the grant type: unauthorized_client', async () => {
      await idp.seedClient('robot', { redirectUris: [REDIRECT], allowedGrantTypes: ['client_credentials'] });
      const answer = await ask(authorizePath({ client_id: 'robot', redirect_uri: REDIRECT }));
      assert.equal(answerOf(answer).error, 'unauthorized_client');
    });
  });

  describe('an address that was not registered is never redirected to', () => {
    const TRICKS = [
      undefined,
      '',
      `${REDIRECT}/`,
      `${REDIRECT}?a=1`,
      `${REDIRECT}#x`,
      `${REDIRECT}/../evil`,
      'https://shop.example',
      'https://shop.example.evil.example/api/auth/callback',
      'https://shop.example@evil.example/api/auth/callback',
      'https://evil.example/https://shop.example/api/auth/callback',
      'https://shop.example./api/auth/callback',
      'https://SHOP.example/api/auth/callback',
      'HTTPS://shop.example/api/auth/callback',
      'http://shop.example/api/auth/callback',
      'https://shop.example:443/api/auth/callback',
      'https://shop.example:8443/api/auth/callback',
      'https://shop.example/api/auth/%63allback',
      'https://shop.example/api//auth/callback',
      'https://shop.example\\.evil.example/api/auth/callback',
      ' https://shop.example/api/auth/callback',
      'https://shop.example/api/auth/callback\u0000',
      'javascript:alert(1)',
      'data:text/html,x',
      '//shop.example/api/auth/callback',
      '/api/auth/callback',
    ];
    for (const uri of TRICKS) {
      it(JSON.stringify(uri ?? 'none at all'), async () => {
        const answer = await ask(shop({ redirect_uri: uri }));
        assert.equal(answer.status, 400);
        assert.equal(answer.title, 'Invalid Redirect URI');
        assert.equal(answer.location, null);
      });
    }

    it('two of them, an unknown client, no client, a client twice', async () => {
      const paths = [
        `${shop()}&redirect_uri=${encodeURIComponent('https://evil.example/')}`,
        shop({ client_id: 'nobody' }),
        shop({ client_id: undefined }),
        `${shop()}&client_id=trusted-prod`,
      ];
      for (const path of paths) {
        const answer = await ask(path);
        assert.ok(answer.status === 400 || answer.status === 401, `${answer.status}`);
        assert.equal(answer.location, null);
      }
    });

    it('a native app gets any port of the registered loopback address, and nothing else of it', async () => {
      await idp.seedClient('native', {
        clientType: 'public',
        redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
        trustedClient: true,
      });
      const native = (uri: string) => ask(authorizePath({ client_id: 'native', redirect_uri: uri }));
      for (const uri of ['http://127.0.0.1:53123/callback', 'http://[::1]:9/callback', 'http://127.0.0.1/callback']) {
        assert.ok((await native(uri)).location?.startsWith(`${uri}?code=`), uri);
      }
      const wrong = [
        'http://127.0.0.1:53123/callback/',
        'http://127.0.0.1:53123/callback?x=1',
        'http://127.0.0.1:53123/other',
        'http://127.0.0.1:0/callback',
        'http://127.0.0.1:70000/callback',
        'http://127.0.0.1:80@evil.example/callback',
        'http://127.0.0.1.evil.example:80/callback',
        'http://127.0.0.2:53123/callback',
        'http://localhost:53123/callback',
        'https://127.0.0.1:53123/callback',
      ];
      for (const uri of wrong) assert.equal((await native(uri)).title, 'Invalid Redirect URI', uri);
    });

    it('a confidential client gets its registered port only', async () => {
      await idp.seedClient('dev', { redirectUris: ['http://127.0.0.1:3000/callback'], trustedClient: true });
      const answer = await ask(authorizePath({ client_id: 'dev', redirect_uri: 'http://127.0.0.1:3001/callback' }));
      assert.equal(answer.title, 'Invalid Redirect URI');
    });
  });

  describe('the consent form', () => {
    it('is refused from elsewhere, and then nothing is agreed to', async () => {
      const user = await idp.seedUser('csrf@example.com', { password: PASSWORD });
      const browser = createBrowser(idp);
      await browser.logIn(user.email, PASSWORD);
      const consent = await ask(shop(), browser);
      const foreign = await ask(shop({ prompt: 'consent' }));
      const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
        browser.submit(consent, '/oauth/authorize/decision', { decision: 'allow', ...fields }, headers);
      const attempts = [
        await send({ csrf: '' }),
        await send({ csrf: /name="csrf" value="([^"]+)"/.exec(foreign.html)?.[1] ?? '' }),
        await send({}, { 'sec-fetch-site': 'cross-site' }),
        await send({}, { origin: 'https://shop.example' }),
      ];
      assert.deepEqual(
        attempts.map(({ status }) => status),
        [403, 403, 403, 403],
      );
      assert.deepEqual(await idp.deps.consents.find(user.id, 'shop-prod'), []);
    });

    it('judges the request it carries anew', async () => {
      const consent = await ask(shop({ prompt: 'consent' }));
      const request = (path: string): string => path.split('?')[1] ?? '';
      const send = (path: string) =>
        ada.submit(consent, '/oauth/authorize/decision', { decision: 'allow', request: request(path) });
      const evil = await send(shop({ redirect_uri: 'https://evil.example/' }));
      assert.equal(evil.title, 'Invalid Redirect URI');
      assert.equal(answerOf(await send(shop({ scope: 'admin:all' }))).error, 'invalid_scope');
    });
  });

  describe('what is reflected', () => {
    const XSS = '"><script>alert(1)</script><img src=x onerror=alert(1)>\'`';

    it('is text in every field and never markup', async () => {
      await idp.seedClient('xss', {
        name: XSS,
        redirectUris: [REDIRECT],
        whiteLabel: { emailFromName: XSS, logoUrl: 'https://cdn.example/"onerror="alert(1)', primaryColor: '#zzz' },
      });
      const parameters = { client_id: 'xss', redirect_uri: REDIRECT, state: XSS, nonce: XSS, login_hint: XSS };
      const pages = [
        await createBrowser(idp).open(authorizePath(parameters)),
        await ask(authorizePath({ ...parameters, prompt: 'consent' })),
        await ask(shop({ redirect_uri: XSS })),
        await ask(shop({ client_id: XSS })),
        await createBrowser(idp).open(`/login?notice=${encodeURIComponent(XSS)}&return_to=${encodeURIComponent(XSS)}`),
      ];
      for (const { html } of pages) {
        assert.doesNotMatch(html, /<script>|<img src=x/);
        assert.doesNotMatch(html, /onerror="alert/);
      }
    });

    it('comes back to the client as it was sent, and an error description without quotes', async () => {
      assert.equal(answerOf(await ask(trusted({ state: XSS }))).state, XSS);
      const { error_description: description = '' } = answerOf(await ask(shop({ scope: 'openid "x' })));
      assert.doesNotMatch(description, /"/);
    });
  });

  it('does not follow the Host header: issuer and links stay those of the installation', async () => {
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    };
    const answer = await ada.request('GET', trusted(), { headers });
    assert.equal(answerOf(answer).iss, idp.issuer);
    const login = await createBrowser(idp).request('GET', '/login', { headers });
    assert.doesNotMatch(login.html, /evil\.example/);
  });

  it('a form may be redirected to the client it is for, and to nobody else', async () => {
    const policyOf = (page: Page): string => page.headers.get('content-security-policy') ?? '';
    const login = await createBrowser(idp).open(shop());
    assert.match(policyOf(login), /form-action 'self' https:\/\/shop\.example;/);
    assert.match(policyOf(await ask(shop({ prompt: 'consent' }))), /form-action 'self' https:\/\/shop\.example;/);
    const stray = `/oauth/authorize?client_id=shop-prod&redirect_uri=${encodeURIComponent('https://evil.example/')}`;
    const other = await createBrowser(idp).open(`/login?return_to=${encodeURIComponent(stray)}`);
    assert.match(policyOf(other), /form-action 'self';/);
  });
});
