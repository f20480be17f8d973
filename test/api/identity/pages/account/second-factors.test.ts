import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { startIdp, type TestIdp } from '../../../../support/start-idp.ts';
import { type Browser, createBrowser, type Page } from '../browse.ts';
import { createAuthenticator } from './create-authenticator.ts';

const PASSWORD = 'correct horse battery';
const NEW = 'a sentence that is only mine';
const DAY_MS = 86_400_000;

describe('second factors that a thief adds or would remove', () => {
  let idp: TestIdp;
  let people = 0;
  before(async () => {
    idp = await startIdp();
  });
  after(() => idp.stop());

  const codeOf = (key: string): string =>
    new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: idp.deps.now().getTime() });

  const keyOf = ({ html }: Page): string =>
    /Key: <code>([A-Z2-7 ]+)<\/code>/.exec(html)?.[1]?.replaceAll(' ', '') ?? '';

  /** Adds an app, and what it shows from then on. */
  async function addApp(browser: Browser, page: Page): Promise<() => string> {
    const setUp = await browser.submit(page, '/account/totp');
    const key = keyOf(setUp);
    const done = await browser.submit(setUp, '/account/totp/confirm', { code: codeOf(key) });
    assert.equal(done.title, 'The app is set up');
    idp.advance(60_000);
    return () => codeOf(key);
  }

  /** Adds a passkey as a browser does, of an authenticator that keeps no secret. */
  async function addPasskey(browser: Browser): Promise<Page> {
    const account = await browser.open('/account');
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(account.html) ?? [];
    const headers = { 'sec-fetch-site': 'same-origin' };
    const options = await browser.request('POST', '/account/passkeys/options', { json: { csrf }, headers });
    const credential = createAuthenticator(idp.issuer)(JSON.parse(options.html).data.challenge);
    return browser.request('POST', '/account/passkeys', { form: { csrf, proof: '', name: '', credential }, headers });
  }

  async function signedIn() {
    people += 1;
    const user = await idp.seedUser(`factor${people}@example.com`, { password: PASSWORD });
    const browser = createBrowser(idp);
    return { user, browser, page: await browser.logIn(user.email, PASSWORD) };
  }

  async function mailed(pattern: RegExp): Promise<string> {
    await idp.deps.mailQueue.idle();
    return pattern.exec(idp.mailbox.at(-1)?.text ?? '')?.[0] ?? '';
  }

  /** The reset as its owner does it by mail, up to the page that asks for the password. */
  async function openReset(email: string) {
    const browser = createBrowser(idp);
    await browser.submit(await browser.open('/login/forgot'), '/login/forgot', { email });
    return { browser, page: await browser.open(await mailed(/\/login\/reset\?token=\S+/)) };
  }

  it('a session is not enough, however young: whoever has a second factor shows it for each change', async () => {
    const { user, browser, page } = await signedIn();
    const code = await addApp(browser, page);
    const state = () => idp.deps.users.find(user.id);
    const before = await state();
    const account = await browser.open('/account');
    const forms: readonly [string, Record<string, string>][] = [
      ['/account/totp/remove', {}],
      ['/account/totp', {}],
      ['/account/totp/confirm', { code: '123456' }],
      ['/account/recovery-codes', {}],
      ['/account/passkeys', { credential: '{}', name: '' }],
      ['/account/passkeys/remove', { id: 'x' }],
    ];
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(account.html) ?? [];
    const other = await signedIn();
    await addApp(other.browser, other.page);
    const [, foreign = ''] = /name="proof" value="([^"]+)"/.exec((await other.browser.open('/account')).html) ?? [];
    for (const [action, fields] of forms) {
      for (const proof of ['', 'x.y', foreign]) {
        const form = { ...fields, csrf, proof };
        const headers = { 'sec-fetch-site': 'same-origin' };
        const { location } = await browser.request('POST', action, { form, headers });
        assert.equal(location, '/account/second-factor', `${action} ${proof}`);
      }
    }
    assert.deepEqual(await state(), before);
    const shown = await browser.submit(await browser.open('/account/second-factor'), '/account/second-factor', {
      code: code(),
    });
    idp.advance(11 * 60_000);
    assert.equal((await browser.submit(shown, '/account/totp/remove')).location, '/account/second-factor', 'too late');
  });

  it('recovery codes of a factor that was removed are void: who added that one may know them', async () => {
    const { user, browser, page } = await signedIn();
    const code = await addApp(browser, page);
    const before = (await idp.deps.users.find(user.id))?.recoveryCodes ?? [];
    assert.equal(before.length, 10);
    const asked = await browser.open('/account/second-factor');
    const shown = await browser.submit(asked, '/account/second-factor', { code: code() });
    await browser.submit(shown, '/account/totp/remove');
    const added = await addPasskey(browser);
    assert.equal(added.title, 'The passkey is added');
    const now = await idp.deps.users.find(user.id);
    assert.deepEqual([now?.passkeys.length, now?.recoveryCodes.length], [1, 10]);
    for (const hash of before) assert.ok(!now?.recoveryCodes.includes(hash));
  });

  it('one that is confirmed while a session without it asks for another, or for its removal, stays', async () => {
    for (const action of ['/account/totp', '/account/totp/remove']) {
      const { user, browser, page } = await signedIn();
      const setUp = await browser.submit(page, '/account/totp');
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.html) ?? [];
      const key = keyOf(setUp);
      const { users } = idp.deps;
      let confirmed: Page | undefined;
      const confirm = async () => {
        Object.assign(idp.deps, { users });
        confirmed ??= await browser.submit(setUp, '/account/totp/confirm', { code: codeOf(key) });
      };
      const setTotp: typeof users.setTotp = async (...args) => {
        await confirm();
        return users.setTotp(...args);
      };
      Object.assign(idp.deps, { users: { ...users, setTotp } });
      const headers = { 'sec-fetch-site': 'same-origin' };
      await browser.request('POST', action, { form: { csrf, proof: '' }, headers });
      await confirm();
      assert.equal(confirmed?.title, 'The app is set up', action);
      assert.notEqual((await users.find(user.id))?.totp?.confirmedAt ?? null, null, action);
    }
  });

  it('its owner is told by mail of a factor that is added, and from where, in the words of the platform', async () => {
    const { user, browser, page } = await signedIn();
    await addApp(browser, page);
    const text = await mailed(/.+/s);
    const mail = idp.mailbox.at(-1);
    assert.deepEqual([mail?.kind, mail?.to], ['second_factor_added', user.email]);
    assert.match(text, /an authenticator app, from Unknown browser, 127\.0\.0\.1\..*\/login\/forgot/s);
  });

  it('a first factor that a thief added goes with the password, when its owner resets that within a week', async () => {
    const { user, browser, page } = await signedIn();
    await addApp(browser, page);
    idp.advance(6 * DAY_MS);
    const reset = await openReset(user.email);
    assert.match(reset.page.html, /Your second factor is removed as well: authenticator app\./);
    await reset.browser.submit(reset.page, '/login/reset', { password: NEW });
    const now = await idp.deps.users.find(user.id);
    assert.deepEqual([now?.totp, now?.passkeys, now?.recoveryCodes], [null, [], []]);
    assert.equal((await createBrowser(idp).logIn(user.email, NEW)).title, 'Your account');
  });

  it('one that is older stays, so that a mailbox alone does not open the account, and the page names it', async () => {
    const { user, browser, page } = await signedIn();
    await addApp(browser, page);
    idp.advance(7 * DAY_MS);
    const passkey = { credentialId: 'cred-new', publicKey: 'cG9z', counter: 0, transports: [], name: 'New phone' };
    const since = (await idp.deps.users.find(user.id))?.totp?.since ?? idp.deps.now();
    const added = { ...passkey, createdAt: idp.deps.now(), lastUsedAt: null, since };
    assert.equal(await idp.deps.users.addPasskey(user.id, added, 0), true);
    const reset = await openReset(user.email);
    assert.match(reset.page.html, /Your second factor stays: authenticator app and New phone\./);
    await reset.browser.submit(reset.page, '/login/reset', { password: NEW });
    assert.equal((await createBrowser(idp).logIn(user.email, NEW)).title, 'One more step');
    assert.equal((await idp.deps.users.find(user.id))?.passkeys.length, 1);
  });
});
