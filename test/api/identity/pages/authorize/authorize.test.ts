import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { answerOf, authorizePath, type Browser, createBrowser, createPkce } from '../browse.ts';
import { EMAIL, PASSWORD, REDIRECT, startAuthorize, type TestAuthorize } from './start-authorize.ts';

describe('the authorization endpoint', () => {
  let idp: TestAuthorize['idp'];
  let ada: TestAuthorize['ada'];
  let secret: TestAuthorize['secret'];
  let shop: TestAuthorize['shop'];
  let trusted: TestAuthorize['trusted'];
  let ask: TestAuthorize['ask'];
  before(async () => {
    ({ idp, ada, secret, shop, trusted, ask } = await startAuthorize());
  });
  after(() => idp.stop());

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

    it('asks again for a later client of the same id: what was agreed to was for the one before', async () => {
      const clientId = 'notes-prod';
      const path = authorizePath({ client_id: clientId, redirect_uri: REDIRECT, scope: 'openid' });
      const client = { name: 'Notes', redirectUris: [REDIRECT] };
      await idp.seedClient(clientId, client);
      await idp.seedUser('agreed@example.com', { password: PASSWORD });
      const browser = createBrowser(idp);
      await browser.logIn('agreed@example.com', PASSWORD);
      await browser.submit(await ask(path, browser), '/oauth/authorize/decision', { decision: 'allow' });
      assert.match(answerOf(await ask(path, browser)).code ?? '', /^flac_/);
      await idp.call('DELETE', `/api/internal/oauth-clients/${clientId}`, { headers: idp.internal });
      await idp.seedOrg('later');
      await idp.seedClient(clientId, { ...client, orgSlug: 'later' });
      assert.equal((await ask(path, browser)).title, 'Notes asks for access');
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

    it('asks for a native app that is trusted as well', async () => {
      const redirectUris = ['http://127.0.0.1/callback'];
      await idp.seedClient('trusted-tool', { clientType: 'public', redirectUris, trustedClient: true });
      const asked = await ask(
        authorizePath({ client_id: 'trusted-tool', redirect_uri: 'http://127.0.0.1:4711/callback' }),
      );
      assert.equal(asked.title, 'Client trusted-tool asks for access');
    });

    it('sends nobody to another port of the machine in the name of the platform’s pages', async () => {
      const redirectUri = 'http://localhost:3005/api/auth/callback';
      const pages = {
        clientType: 'public',
        redirectUris: [redirectUri],
        trustedClient: true,
        orgSlug: 'platform',
      } as const;
      await idp.seedClient('audit-ledger-pages', pages);
      const at = (uri: string) => ask(authorizePath({ client_id: 'audit-ledger-pages', redirect_uri: uri }));
      assert.match(answerOf(await at(redirectUri)).code ?? '', /^flac_/);
      assert.equal((await at('http://localhost:4711/api/auth/callback')).status, 400);
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
});
