import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { startIdp, type TestIdp } from '../../../../support/start-idp.ts';
import { createLogins } from '../../oauth/logins.ts';
import { answerOf, authorizePath, createBrowser, createPkce, type Page } from '../browse.ts';

const PASSWORD = 'correct horse battery';
const REDIRECT = 'https://shop.example/api/auth/callback';
const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';

describe('the account page', () => {
  let idp: TestIdp;
  let people = 0;
  before(async () => {
    idp = await startIdp();
    await idp.seedClient('shop-prod', {
      name: 'The Shop',
      clientType: 'public',
      redirectUris: [REDIRECT],
      trustedClient: true,
    });
  });
  after(() => idp.stop());

  async function signedIn(email?: string) {
    people += 1;
    const address = email ?? `person${people}@example.com`;
    const user = (await idp.deps.users.findByEmail(address)) ?? (await idp.seedUser(address, { password: PASSWORD }));
    const browser = createBrowser(idp);
    const page = await browser.logIn(address, PASSWORD);
    return { user, browser, page };
  }

  it('sends whoever is not signed in to the login page, and back', async () => {
    const answer = await createBrowser(idp).request('GET', '/account');
    assert.equal(answer.location, '/login');
  });

  it('names the next steps for a platform admin until an application has access, and for nobody else', async () => {
    const email = 'root@example.com';
    const root = await idp.seedUser(email, { password: PASSWORD, platformRoles: ['super_admin'] });
    const { browser } = await signedIn(email);
    Object.assign(idp.deps.settings, { serviceUrls: { console: 'https://console.example' } });
    const { html } = await browser.open('/account');
    for (const step of [
      'Next steps',
      'the console',
      'npx fairlead login',
      'npx fairlead deploy',
      'npx fairlead invite',
    ]) {
      assert.ok(html.includes(step), step);
    }
    assert.doesNotMatch((await (await signedIn()).browser.open('/account')).html, /Next steps/);
    const client = await idp.deps.clients.find('shop-prod');
    assert.ok(client !== null);
    await createLogins(idp).login({ client, secret: '' }, root, { scopes: ['openid', 'offline_access'] });
    assert.doesNotMatch((await browser.open('/account')).html, /Next steps/);
  });

  it('lists browsers with what they are and where, and signs one of them out', async () => {
    const { user, browser } = await signedIn();
    const other = createBrowser(idp);
    const login = await other.open('/login');
    await other.submit(login, '/login', { email: user.email, password: PASSWORD }, { 'user-agent': CHROME });
    const page = await browser.open('/account');
    assert.match(page.html, /<strong>Chrome on Windows<\/strong>/);
    assert.match(page.html, /127\.0\.0\.1 · since \d+ \w+ \d{4}, \d\d:\d\d UTC/);
    assert.equal([...page.html.matchAll(/class="badge">This one/g)].length, 1);
    const done = await browser.follow(await browser.submit(page, '/account/sessions/end'));
    assert.match(done.html, /role="status">It is signed out\./);
    assert.equal((await other.open('/account')).title, 'Sign in');
  });

  it('signs all other browsers out at once', async () => {
    const { user, browser } = await signedIn();
    const others = await Promise.all([signedIn(user.email), signedIn(user.email)]);
    const page = await browser.open('/account');
    await browser.submit(page, '/account/sessions/end-others');
    for (const other of others) assert.equal((await other.browser.open('/account')).title, 'Sign in');
    assert.equal((await browser.open('/account')).title, 'Your account');
  });

  it('lists applications and takes access from one: its refresh token is void', async () => {
    const { browser } = await signedIn();
    const { verifier, challenge } = createPkce();
    const path = authorizePath({ client_id: 'shop-prod', redirect_uri: REDIRECT, code_challenge: challenge });
    const { code = '' } = answerOf(await browser.request('GET', path));
    const form = { grant_type: 'authorization_code', client_id: 'shop-prod', code, code_verifier: verifier };
    const { body } = await idp.call('POST', '/api/oauth/token', { form: { ...form, redirect_uri: REDIRECT } });
    const page = await browser.open('/account');
    assert.match(page.html, /<strong>The Shop<\/strong>/);
    assert.equal((await browser.submit(page, '/account/grants/end')).location, '/account?notice=ended');
    const again = { grant_type: 'refresh_token', client_id: 'shop-prod', refresh_token: body.refresh_token };
    assert.equal((await idp.call('POST', '/api/oauth/token', { form: again })).body.error, 'invalid_grant');
    assert.doesNotMatch((await browser.open('/account')).html, /The Shop/);
  });

  it("ends nothing that is somebody else's", async () => {
    const mine = await signedIn();
    const theirs = await signedIn();
    const [session] = await idp.deps.sessions.listOfUser(theirs.user.id, idp.deps.now());
    await signedIn(mine.user.email);
    const page = await mine.browser.open('/account');
    await mine.browser.submit(page, '/account/sessions/end', { id: session?.id ?? '' });
    assert.equal((await theirs.browser.open('/account')).title, 'Your account');
  });

  describe('the password', () => {
    it('is changed with the current one, and every other login ends', async () => {
      const { user, browser, page } = await signedIn();
      const other = await signedIn(user.email);
      const wrong = await browser.submit(page, '/account/password', {
        current: 'wrong',
        password: 'a new long sentence',
      });
      assert.equal(wrong.status, 401);
      assert.match(wrong.html, /role="alert">The current password is wrong\./);
      const weak = await browser.submit(page, '/account/password', { current: PASSWORD, password: 'short' });
      assert.equal(weak.status, 400);
      const form = { current: PASSWORD, password: 'a new long sentence' };
      const done = await browser.follow(await browser.submit(page, '/account/password', form));
      assert.match(done.html, /Your password is changed/);
      assert.equal((await other.browser.open('/account')).title, 'Sign in');
      assert.equal((await createBrowser(idp).logIn(user.email, 'a new long sentence')).title, 'Your account');
    });

    it('cannot be guessed from a browser left open', async () => {
      const { browser, page } = await signedIn();
      let last: Page = page;
      for (let tries = 0; tries < 11; tries += 1) {
        last = await browser.submit(page, '/account/password', { current: `wrong ${tries}`, password: 'x'.repeat(12) });
      }
      assert.equal(last.status, 429);
    });
  });

  describe('the authenticator app', () => {
    const keyOf = (page: Page): string =>
      /Key: <code>([A-Z2-7 ]+)<\/code>/.exec(page.html)?.[1]?.replaceAll(' ', '') ?? '';
    const codeOf = (key: string): string =>
      new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: idp.deps.now().getTime() });

    it('is set up by its first code, which brings recovery codes; after that it is asked for', async () => {
      const { user, browser, page } = await signedIn();
      const setUp = await browser.submit(page, '/account/totp');
      assert.match(setUp.html, /<svg [\s\S]*<\/svg>/);
      const key = keyOf(setUp);
      const wrong = await browser.submit(setUp, '/account/totp/confirm', { code: '000000' });
      assert.equal(wrong.status, 400);
      assert.equal(keyOf(wrong), key);
      assert.equal((await createBrowser(idp).logIn(user.email, PASSWORD)).title, 'Your account');
      const code = codeOf(key);
      const done = await browser.submit(wrong, '/account/totp/confirm', { code });
      assert.equal(done.title, 'The app is set up');
      const codes = [...done.html.matchAll(/<li>([a-z2-9]{5}-[a-z2-9]{5})<\/li>/g)].map(([, one = '']) => one);
      assert.equal(new Set(codes).size, 10);
      const next = createBrowser(idp);
      const second = await next.logIn(user.email, PASSWORD);
      assert.equal(second.title, 'One more step');
      const replay = await next.submit(second, '/login/second-factor', { code });
      assert.equal(replay.status, 401, 'the code that set it up works no second time');
      assert.equal((await next.submit(second, '/login/second-factor', { code: codes[0] ?? '' })).status, 303);
      assert.match((await browser.open('/account')).html, /You have 9 unused recovery codes/);
    });

    it('shows neither key nor recovery codes again, and keeps none of them readable', async () => {
      const { user, browser, page } = await signedIn();
      const setUp = await browser.submit(page, '/account/totp');
      const key = keyOf(setUp);
      const done = await browser.submit(setUp, '/account/totp/confirm', { code: codeOf(key) });
      const [, code = ''] = /<li>([a-z2-9]{5}-[a-z2-9]{5})<\/li>/.exec(done.html) ?? [];
      const account = await browser.open('/account');
      for (const secret of [key, code]) assert.ok(!account.html.includes(secret));
      const kept = JSON.stringify(await idp.deps.users.find(user.id));
      const all = `${kept}${idp.logged.join('')}`;
      for (const secret of [key, code, code.replace('-', '')]) assert.ok(!all.includes(secret));
      assert.equal((await browser.submit(page, '/account/totp')).location, '/account/second-factor');
    });

    it('is removed by somebody who signed in recently; others sign in once more first', async () => {
      const { browser, page } = await signedIn();
      const setUp = await browser.submit(page, '/account/totp');
      await browser.submit(setUp, '/account/totp/confirm', { code: codeOf(keyOf(setUp)) });
      const account = await browser.open('/account');
      idp.advance(16 * 60_000);
      for (const action of ['/account/totp/remove', '/account/recovery-codes']) {
        assert.equal((await browser.submit(account, action)).location, '/login?reauth=1&notice=again');
      }
      const login = await browser.open('/login?reauth=1&notice=again');
      assert.match(login.html, /role="status">To change how you sign in, sign in once more\./);
    });

    it('is removed, and then no longer asked for', async () => {
      const { user, browser, page } = await signedIn();
      const setUp = await browser.submit(page, '/account/totp');
      const key = keyOf(setUp);
      await browser.submit(setUp, '/account/totp/confirm', { code: codeOf(key) });
      idp.advance(60_000);
      const asked = await browser.follow(await browser.submit(await browser.open('/account'), '/account/totp/remove'));
      assert.equal(asked.title, 'Show your second factor');
      assert.equal((await browser.submit(asked, '/account/second-factor', { code: '000000' })).status, 401);
      const shown = await browser.submit(asked, '/account/second-factor', { code: codeOf(key) });
      assert.match(shown.html, /role="status">Now make your change\./);
      await browser.submit(shown, '/account/totp/remove');
      assert.equal((await createBrowser(idp).logIn(user.email, PASSWORD)).title, 'Your account');
    });
  });

  it('refuses every form from elsewhere', async () => {
    const { browser, page } = await signedIn();
    const forms: readonly [string, Record<string, string>][] = [
      ['/account/sessions/end', { id: 'ses_x' }],
      ['/account/sessions/end-others', {}],
      ['/account/grants/end', { id: 'grt_x' }],
      ['/account/password', { email: '', current: PASSWORD, password: 'another long sentence' }],
      ['/account/totp', {}],
      ['/account/totp/confirm', { code: '123456' }],
      ['/account/totp/remove', {}],
      ['/account/recovery-codes', {}],
      ['/account/passkeys', { credential: '{}', name: '' }],
      ['/account/passkeys/remove', { id: 'x' }],
      ['/account/second-factor', { code: '123456' }],
      ['/account/second-factor/passkey', { credential: '{}' }],
    ];
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.html) ?? [];
    for (const [action, fields] of forms) {
      const forged = await browser.request('POST', action, { form: { ...fields, csrf: 'x' } });
      assert.equal(forged.status, 403, action);
      const headers = { 'sec-fetch-site': 'cross-site' };
      assert.equal((await browser.request('POST', action, { form: { ...fields, csrf }, headers })).status, 403, action);
      const nobody = await createBrowser(idp).request('POST', action, { form: { ...fields, csrf } });
      assert.equal(nobody.status, 403, action);
    }
    const json = await browser.request('POST', '/account/passkeys/options', { json: { csrf: 'x' } });
    assert.equal(json.status, 403);
  });
});
