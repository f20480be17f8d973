import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startIdp, type TestIdp } from '../../../../support/start-idp.ts';
import { answerOf, authorizePath, type Browser, createBrowser, createPkce } from '../browse.ts';

const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse battery';
const REDIRECT = 'https://shop.example/api/auth/callback';
const AFTER = 'https://shop.example/bye';

describe('signing out', () => {
  let idp: TestIdp;
  before(async () => {
    idp = await startIdp();
    await idp.seedUser(EMAIL, { password: PASSWORD });
    await idp.seedClient('shop-prod', {
      clientType: 'public',
      redirectUris: [REDIRECT],
      postLogoutRedirectUris: [AFTER],
      trustedClient: true,
    });
  });
  after(() => idp.stop());

  /** Somebody signed in at the provider and at the shop. */
  async function signedIn(): Promise<{ browser: Browser; idToken: string; refreshToken: string }> {
    const browser = createBrowser(idp);
    await browser.logIn(EMAIL, PASSWORD);
    const { verifier, challenge } = createPkce();
    const path = authorizePath({ client_id: 'shop-prod', redirect_uri: REDIRECT, code_challenge: challenge });
    const { code = '' } = answerOf(await browser.request('GET', path));
    const form = { grant_type: 'authorization_code', client_id: 'shop-prod', code, code_verifier: verifier };
    const { body } = await idp.call('POST', '/api/oauth/token', { form: { ...form, redirect_uri: REDIRECT } });
    return { browser, idToken: body.id_token, refreshToken: body.refresh_token };
  }

  const logoutPath = (query: Record<string, string>): string => `/oauth/logout?${new URLSearchParams(query)}`;
  const refresh = (token: string) => {
    const form = { grant_type: 'refresh_token', client_id: 'shop-prod', refresh_token: token };
    return idp.call('POST', '/api/oauth/token', { form });
  };

  it('ends session and logins at once with an ID token of the session, and goes where the client registered', async () => {
    const { browser, idToken, refreshToken } = await signedIn();
    const query = { id_token_hint: idToken, post_logout_redirect_uri: AFTER, state: 'a b&c' };
    const answer = await browser.request('GET', logoutPath(query));
    assert.equal(answer.status, 303);
    assert.equal(answer.location, `${AFTER}?state=a%20b%26c`);
    assert.equal(browser.cookies.has('fl-session'), false);
    assert.equal((await refresh(refreshToken)).body.error, 'invalid_grant');
  });

  it('ends the session itself: a copy of its cookie no longer works', async () => {
    const { browser, idToken } = await signedIn();
    const copy = createBrowser(idp);
    copy.cookies.set('fl-session', browser.cookies.get('fl-session') ?? '');
    await browser.request('GET', logoutPath({ id_token_hint: idToken }));
    assert.equal((await copy.open('/account')).title, 'Sign in');
  });

  it('takes an ID token that has expired', async () => {
    const { browser, idToken } = await signedIn();
    idp.advance(2 * 3_600_000);
    const answer = await browser.request(
      'GET',
      logoutPath({ id_token_hint: idToken, post_logout_redirect_uri: AFTER }),
    );
    assert.equal(answer.location, AFTER);
  });

  it("ends the session by the hint alone, when another site's form comes without our cookie", async () => {
    const { browser, idToken } = await signedIn();
    const form = { id_token_hint: idToken, post_logout_redirect_uri: AFTER };
    const answer = await createBrowser(idp).request('POST', '/oauth/logout', { form });
    assert.equal(answer.location, AFTER);
    assert.equal((await browser.open('/account')).title, 'Sign in');
  });

  it('asks when nothing shows whose session it is about, and then signs out', async () => {
    const { browser } = await signedIn();
    const page = await browser.request('GET', logoutPath({ client_id: 'shop-prod', post_logout_redirect_uri: AFTER }));
    assert.equal(page.title, 'Sign out?');
    assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self' https:\/\/shop\.example;/);
    assert.equal((await browser.open('/account')).title, 'Your account');
    assert.equal((await browser.submit(page, '/oauth/logout/confirm')).location, AFTER);
    assert.equal((await browser.open('/account')).title, 'Sign in');
  });

  it('asks when the hint is of another session, an access token, or was altered', async () => {
    const other = await signedIn();
    const { browser, idToken } = await signedIn();
    const [header, payload] = idToken.split('.');
    for (const hint of [other.idToken, `${header}.${payload}.AAAA`, 'x', `${header}.${payload}`]) {
      const page = await browser.request('GET', logoutPath({ id_token_hint: hint }));
      assert.equal(page.title, 'Sign out?');
    }
    assert.equal((await browser.open('/account')).title, 'Your account');
  });

  it('refuses a confirmation from elsewhere', async () => {
    const { browser } = await signedIn();
    const page = await browser.request('GET', '/oauth/logout');
    assert.equal((await browser.submit(page, '/oauth/logout/confirm', { csrf: 'x' })).status, 403);
    const foreign = await browser.submit(page, '/oauth/logout/confirm', {}, { 'sec-fetch-site': 'cross-site' });
    assert.equal(foreign.status, 403);
    assert.equal((await browser.open('/account')).title, 'Your account');
  });

  it('redirects to no address that the client did not register, and signs nobody out on the way', async () => {
    const { browser, idToken } = await signedIn();
    const uris = [`${AFTER}/`, `${AFTER}?x`, 'https://evil.example', 'https://shop.example@evil.example/bye', REDIRECT];
    for (const uri of uris) {
      const query = { id_token_hint: idToken, post_logout_redirect_uri: uri };
      const answer = await browser.request('GET', logoutPath(query));
      assert.equal(answer.title, 'Invalid Redirect URI', uri);
      assert.equal(answer.location, null);
      assert.ok(answer.html.includes(`&quot;${uri}&quot;, which is not registered`), answer.html);
      assert.ok(!answer.html.includes(`href="${uri}`));
    }
    const unknown = await browser.request('GET', logoutPath({ post_logout_redirect_uri: AFTER }));
    assert.equal(unknown.title, 'Invalid Redirect URI');
    const mixed = await browser.request('GET', logoutPath({ id_token_hint: idToken, client_id: 'builder' }));
    assert.equal(mixed.status, 400);
    assert.equal((await browser.open('/account')).title, 'Your account');
  });
});
