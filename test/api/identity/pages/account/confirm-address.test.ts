import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startIdp, type TestIdp } from '../../../../support/start-idp.ts';
import { type Browser, createBrowser } from '../browse.ts';

const PASSWORD = 'correct horse battery';
const UNPROVEN = { emailVerified: false };

describe('confirming an address on the account page', () => {
  let idp: TestIdp;
  before(async () => {
    idp = await startIdp({ database: 'server' });
    await idp.seedOrg('acme', {
      mailTemplates: { email_verification: { subject: 'Acme asks', text: 'Here: {{link}}' } },
    });
  });
  after(() => idp.stop());

  async function signedIn(email: string, given: Parameters<TestIdp['seedUser']>[1] = { fields: UNPROVEN }) {
    const user = await idp.seedUser(email, { password: PASSWORD, ...given });
    const browser = createBrowser(idp);
    await browser.logIn(email, PASSWORD);
    return { user, browser };
  }

  /** Asks for a link as the account page offers it. @returns its path, as the mail has it; undefined without a mail */
  async function ask(browser: Browser, email: string): Promise<string | undefined> {
    const before = idp.mailbox.length;
    const sent = await browser.follow(await browser.submit(await browser.open('/account'), '/account/confirm/send'));
    assert.match(sent.html, /role="status">The link is on its way/);
    await idp.deps.mailQueue.idle();
    const mail = idp.mailbox.slice(before).find(({ to, kind }) => to === email && kind === 'email_verification');
    return new RegExp(`${idp.issuer}(/account/confirm\\S+)`).exec(mail?.text ?? '')?.[1];
  }

  const isVerified = async (id: string) => (await idp.deps.users.find(id))?.emailVerified;

  it('is offered to whoever needs it, works by the button once, and leaves password and logins as they are', async () => {
    const { user, browser } = await signedIn('ada@example.com');
    const path = await ask(browser, user.email);
    assert.ok(path !== undefined);
    for (let scans = 0; scans < 3; scans += 1) await createBrowser(idp).request('GET', path);
    const page = await browser.open(path);
    assert.equal(await isVerified(user.id), false, 'opening it takes nothing');
    const done = await browser.follow(await browser.submit(page, '/account/confirm'));
    assert.match(done.html, /Your address is confirmed\./);
    assert.doesNotMatch(done.html, /Nobody has confirmed/);
    assert.equal(await isVerified(user.id), true);
    const { items } = await idp.deps.audit.list({ subject: user.id }, { cursor: null, limit: 50 });
    assert.equal(items.filter(({ type }) => type === 'user.address_confirmed').length, 1);
    const again = createBrowser(idp);
    assert.equal((await again.logIn(user.email, PASSWORD)).title, 'Your account', 'the password is the same');
    assert.match((await browser.open(path)).html, /Your address is confirmed/, 'a second click is no error');
  });

  it('does nothing for who reads the mail and cannot sign in: they made no account, and give its maker none', async () => {
    const { user, browser } = await signedIn('victim@example.com');
    const path = (await ask(browser, user.email)) ?? '';
    const reader = createBrowser(idp);
    const page = await reader.open(path);
    assert.equal(page.title, 'Sign in');
    assert.equal(await isVerified(user.id), false);
    const signed = await reader.follow(await reader.submit(page, '/login', { email: user.email, password: PASSWORD }));
    assert.equal(signed.title, 'Confirm your address', 'after signing in one is back');
  });

  it('is for the person it was mailed to: somebody else who is signed in neither takes it nor uses it up', async () => {
    const { user, browser } = await signedIn('mine@example.com');
    const path = (await ask(browser, user.email)) ?? '';
    const other = await signedIn('other@example.com');
    const page = await other.browser.open(path);
    assert.match(page.html, /signed in as other@example\.com, which is another address/);
    const own = await other.browser.open((await ask(other.browser, other.user.email)) ?? '');
    const token = new URL(path, idp.issuer).searchParams.get('token') ?? '';
    assert.equal((await other.browser.submit(own, '/account/confirm', { token })).status, 400);
    assert.deepEqual([await isVerified(other.user.id), await isVerified(user.id)], [false, false]);
    await browser.submit(await browser.open(path), '/account/confirm');
    assert.equal(await isVerified(user.id), true);
  });

  it('lets one of fifty at once through, and none after a day', async () => {
    const { user, browser } = await signedIn('race@example.com');
    const page = await browser.open((await ask(browser, user.email)) ?? '');
    const answers = await Promise.all(Array.from({ length: 50 }, () => browser.submit(page, '/account/confirm')));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, ...Array.from({ length: 49 }, () => 400)]);
    const late = await signedIn('late@example.com');
    const expired = (await ask(late.browser, late.user.email)) ?? '';
    idp.advance(24 * 3_600_000 + 1_000);
    assert.equal((await late.browser.open(expired)).title, 'This link no longer works');
  });

  it('only the newest link works, and five mails in a quarter of an hour are enough for anybody', async () => {
    idp.advance(16 * 60_000);
    const { user, browser } = await signedIn('again@example.com');
    const first = (await ask(browser, user.email)) ?? '';
    const paths = [first];
    for (let times = 1; times < 8; times += 1) paths.push((await ask(browser, user.email)) ?? '');
    assert.equal(paths.filter((path) => path !== '').length, 5);
    assert.equal((await browser.open(first)).title, 'This link no longer works');
    const newest = await browser.open(paths[4] ?? '');
    await browser.submit(newest, '/account/confirm');
    assert.equal(await isVerified(user.id), true);
  });

  it('is sent in the words of the person’s org, and not to who is confirmed by the time it would be', async () => {
    const { user, browser } = await signedIn('acme@example.com', { org: 'acme', fields: UNPROVEN });
    const account = await browser.open('/account');
    await ask(browser, user.email);
    assert.equal(idp.mailbox.at(-1)?.subject, 'Acme asks');
    await idp.deps.users.update(user.id, { emailVerified: true });
    const sent = idp.mailbox.length;
    assert.equal((await browser.submit(account, '/account/confirm/send')).location, '/account?notice=confirm-sent');
    await idp.deps.mailQueue.idle();
    assert.equal(idp.mailbox.length, sent);
    assert.doesNotMatch((await browser.open('/account')).html, /Nobody has confirmed/);
  });

  it('is asked for by itself when somebody joins by an invitation that was passed on by hand', async () => {
    const invite = async (email: string, sendEmail: boolean) => {
      const json = { email, sendEmail };
      const { body } = await idp.call('POST', '/api/v2/orgs/acme/invites', { json, headers: idp.internal });
      await idp.deps.mailQueue.idle();
      const mailed = /\S+\/invites\/accept\S+/.exec(idp.mailbox.findLast(({ to }) => to === email)?.text ?? '')?.[0];
      const browser = createBrowser(idp);
      const { pathname, search } = new URL(body.data.inviteUrl ?? mailed);
      const fields = { firstName: 'Lin', lastName: 'Lin', password: PASSWORD };
      await browser.submit(await browser.open(pathname + search), '/invites/accept', fields);
      await idp.deps.mailQueue.idle();
      return idp.mailbox.filter(({ to, kind }) => to === email && kind === 'email_verification').length;
    };
    assert.equal(await invite('handed@example.com', false), 1);
    assert.equal(await invite('mailed@example.com', true), 0);
  });

  it('is refused without the form’s token, and without a session', async () => {
    const { browser } = await signedIn('forged@example.com');
    for (const path of ['/account/confirm', '/account/confirm/send']) {
      assert.equal((await browser.request('POST', path, { form: { csrf: 'x' } })).status, 403, path);
      const stranger = createBrowser(idp);
      const login = await stranger.open('/login');
      const csrf = /name="csrf" value="([^"]+)"/.exec(login.html)?.[1] ?? '';
      assert.equal((await stranger.request('POST', path, { form: { csrf } })).status, 401, path);
    }
  });
});
