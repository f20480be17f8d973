import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { startIdp, type TestIdp } from '../../../../support/start-idp.ts';
import { type Browser, createBrowser, type Page } from '../browse.ts';

const PASSWORD = 'correct horse battery';
const MAGIC_LINK = /\/login\/magic\?token=\S+/;

describe('the first second factor, where mail is sent', () => {
  let idp: TestIdp;
  let people = 0;
  before(async () => {
    idp = await startIdp();
    Object.assign(idp.deps, { mail: { ...idp.deps.mail, outbox: null } });
  });
  after(() => idp.stop());

  async function signedIn(emailVerified = true) {
    people += 1;
    const email = `first${people}@example.com`;
    const user = await idp.seedUser(email, { password: PASSWORD, fields: { emailVerified } });
    const browser = createBrowser(idp);
    return { user, browser, page: await browser.logIn(email, PASSWORD) };
  }

  async function mailed(pattern: RegExp): Promise<string> {
    await idp.deps.mailQueue.idle();
    return pattern.exec(idp.mailbox.at(-1)?.text ?? '')?.[0] ?? '';
  }

  const setUp = (browser: Browser, page: Page) => browser.submit(page, '/account/totp');

  /** Signs in by the link that the page offers, in the same browser. */
  async function signInByMail(browser: Browser): Promise<Page> {
    const asked = await browser.open('/account/second-factor');
    assert.equal(asked.title, 'Show that it is you');
    await browser.submit(asked, '/login/link');
    const link = await browser.open(await mailed(MAGIC_LINK));
    return browser.follow(await browser.submit(link, '/login/magic'));
  }

  it('is not added by who merely knows the password: its owner is not shut out', async () => {
    const { user, browser, page } = await signedIn();
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.html) ?? [];
    const headers = { 'sec-fetch-site': 'same-origin' };
    for (const [action, fields] of [
      ['/account/totp', {}],
      ['/account/totp/confirm', { code: '123456' }],
      ['/account/passkeys', { credential: '{}', name: '' }],
      ['/account/recovery-codes', {}],
    ] as const) {
      const { location } = await browser.request('POST', action, { form: { ...fields, csrf, proof: '' }, headers });
      assert.equal(location, '/account/second-factor', action);
    }
    assert.equal((await idp.deps.users.find(user.id))?.totp, null);
    assert.match(page.html, /<a class="button second small" href="\/account\/second-factor">Add a passkey<\/a>/);
    assert.equal((await createBrowser(idp).logIn(user.email, PASSWORD)).title, 'Your account');
  });

  it('is added after signing in by a mailed link, in the quarter of an hour after it', async () => {
    const { user, browser } = await signedIn();
    const page = await signInByMail(browser);
    assert.equal(page.title, 'Your account');
    const shown = await setUp(browser, page);
    assert.equal(shown.title, 'Set up an authenticator app');
    const key = /Key: <code>([A-Z2-7 ]+)<\/code>/.exec(shown.html)?.[1]?.replaceAll(' ', '') ?? '';
    const code = new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: idp.deps.now().getTime() });
    const done = await browser.submit(shown, '/account/totp/confirm', { code });
    assert.equal(done.title, 'The app is set up');
    assert.notEqual((await idp.deps.users.find(user.id))?.totp?.confirmedAt ?? null, null);
    const removed = await browser.submit(await browser.open('/account'), '/account/totp/remove');
    assert.equal(removed.location, '/account/second-factor');
    assert.equal((await browser.open('/account/second-factor')).title, 'Show your second factor');
  });

  it('asks for another link when the login by one is older, and once the password was shown in its place', async () => {
    const { user, browser } = await signedIn();
    const page = await signInByMail(browser);
    idp.advance(16 * 60_000);
    assert.equal((await setUp(browser, page)).location, '/account/second-factor');
    const byMail = await signInByMail(browser);
    assert.equal((await setUp(browser, byMail)).status, 200);
    const login = await browser.open('/login?reauth=1');
    const again = await browser.follow(
      await browser.submit(login, '/login', { email: user.email, password: PASSWORD }),
    );
    assert.equal((await setUp(browser, again)).location, '/account/second-factor');
  });

  it('waits until the address is confirmed, since a link voids a password that was set before', async () => {
    const { user, browser, page } = await signedIn(false);
    const asked = await browser.follow(await setUp(browser, page));
    assert.equal(asked.title, 'Show that it is you');
    assert.doesNotMatch(asked.html, /\/login\/link/);
    await browser.submit(asked, '/account/confirm/send');
    const confirm = await browser.open(await mailed(/\/account\/confirm\?token=\S+/));
    await browser.submit(confirm, '/account/confirm');
    assert.equal((await setUp(browser, await signInByMail(browser))).title, 'Set up an authenticator app');
    assert.equal((await createBrowser(idp).logIn(user.email, PASSWORD)).title, 'Your account');
  });
});
