import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { createRecoveryCodes, createTotp, revealTotp } from '../../../../../api/identity/login/second-factor.ts';
import type { UserRecord } from '../../../../../domain/identity/user.ts';
import { startIdp, type TestIdp } from '../../../../support/start-idp.ts';
import { createBrowser, type Page } from '../browse.ts';

const PASSWORD = 'correct horse battery';
const STEP_MS = 30_000;

describe('the second factor', () => {
  let idp: TestIdp;
  before(async () => {
    idp = await startIdp({ database: 'server' });
  });
  after(() => idp.stop());

  /** Somebody with an authenticator app and recovery codes, and what the app shows. */
  async function seed(email: string) {
    const user = await idp.seedUser(email, { password: PASSWORD });
    const totp = createTotp(idp.deps, user.id);
    const { secret } = revealTotp(idp.deps, user, totp);
    const { codes, hashes } = createRecoveryCodes(idp.deps);
    await idp.deps.users.setTotp(user.id, totp);
    await idp.deps.users.confirmTotp(user.id, totp.secret, 0, idp.deps.now(), idp.deps.now());
    await idp.deps.users.update(user.id, { recoveryCodes: hashes });
    const app = new TOTP({ secret: Secret.fromBase32(secret) });
    const code = (aheadMs = 0): string => app.generate({ timestamp: idp.deps.now().getTime() + aheadMs });
    return { user, code, codes };
  }

  /** Gets as far as the page that asks for the code. */
  async function half(user: UserRecord, returnTo?: string) {
    const browser = createBrowser(idp);
    const page = await browser.logIn(user.email, PASSWORD, returnTo);
    assert.equal(page.title, 'One more step');
    assert.equal(browser.cookies.has('fl-session'), false);
    const send = (code: string, from: Page = page): Promise<Page> =>
      browser.submit(from, '/login/second-factor', { code });
    return { browser, page, send };
  }

  it('is asked for after the password, and its code completes the login', async () => {
    const { user, code } = await seed('app@example.com');
    const { browser, send } = await half(user);
    assert.equal((await browser.open('/account')).title, 'Sign in');
    const done = await browser.follow(await send(code()));
    assert.equal(done.title, 'Your account');
    const [session] = await idp.deps.sessions.listOfUser(user.id, idp.deps.now());
    assert.deepEqual(session?.methods, ['pwd', 'otp', 'mfa']);
  });

  it('is asked for after a mailed link as well', async () => {
    const { user } = await seed('mail@example.com');
    const browser = createBrowser(idp);
    await browser.submit(await browser.open('/login'), '/login/link', { email: user.email });
    await idp.deps.mailQueue.idle();
    const link = /\/login\/magic\?token=\S+/.exec(idp.mailbox.at(-1)?.text ?? '')?.[0] ?? '';
    const done = await browser.follow(await browser.submit(await browser.open(link), '/login/magic'));
    assert.equal(done.title, 'One more step');
    assert.equal(browser.cookies.has('fl-session'), false);
  });

  it('leads on to where the login was for', async () => {
    const { user, code } = await seed('lead@example.com');
    const { send } = await half(user, '/oauth/device?user_code=ABCD');
    assert.equal((await send(code())).location, '/oauth/device?user_code=ABCD');
  });

  it('takes codes of the step before and after for clocks that differ, and none further off', async () => {
    const { user, code } = await seed('clock@example.com');
    for (const off of [-2 * STEP_MS, 2 * STEP_MS]) {
      const { send } = await half(user);
      assert.equal((await send(code(off))).status, 401);
    }
    const before = await half(user);
    assert.equal((await before.send(code(-STEP_MS))).status, 303);
    const ahead = await half(user);
    assert.equal((await ahead.send(code(STEP_MS))).status, 303);
  });

  it('takes a code once, also of eight logins at the same time, and none older than the last', async () => {
    const { user, code } = await seed('replay@example.com');
    const halves = await Promise.all(Array.from({ length: 8 }, () => half(user)));
    const shown = code();
    const answers = await Promise.all(halves.map(({ send }) => send(shown)));
    assert.equal(answers.filter(({ status }) => status === 303).length, 1);
    const older = await half(user);
    assert.equal((await older.send(code(-STEP_MS))).status, 401);
  });

  it('takes a recovery code once, however it is written', async () => {
    const { user, codes } = await seed('recover@example.com');
    const [first = '', second = ''] = codes;
    const one = await half(user);
    assert.equal((await one.send(` ${first.toUpperCase().replace('-', ' ')} `)).status, 303);
    const again = await half(user);
    assert.equal((await again.send(first)).status, 401);
    assert.equal((await again.send(second)).status, 303);
    assert.equal((await idp.deps.users.find(user.id))?.recoveryCodes.length, codes.length - 2);
  });

  it('ends the attempt after five wrong codes: a right one comes too late', async () => {
    const { user, code } = await seed('guess@example.com');
    const { browser, send } = await half(user);
    for (let tries = 0; tries < 5; tries += 1) assert.equal((await send('000000')).status, 401);
    const cookie = browser.cookies.get('fl-login') ?? '';
    const late = await send(code());
    assert.equal(late.status, 429);
    assert.equal(late.title, 'Too many wrong codes');
    // Putting the cookie back does not bring the attempt back.
    browser.cookies.set('fl-login', cookie);
    assert.equal((await send(code())).status, 429);
  });

  it('gives twenty guesses at once no more than five tries', async () => {
    const { user } = await seed('burst@example.com');
    const { send } = await half(user);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('111111')));
    assert.equal(answers.filter(({ status }) => status === 401).length, 5);
    assert.equal(answers.filter(({ status }) => status === 429).length, 15);
  });

  it('makes whoever knows the password wait after many wrong codes over several logins', async () => {
    const { user, code } = await seed('logins@example.com');
    for (let login = 0; login < 4; login += 1) {
      const { send } = await half(user);
      for (let tries = 0; tries < 5; tries += 1) await send('222222');
    }
    const { send } = await half(user);
    assert.equal((await send(code())).status, 429);
    idp.advance(15 * 60_000 + 1_000);
    const later = await half(user);
    assert.equal((await later.send(code())).status, 303);
  });

  it('does not begin without a password: cookies that were altered, are of somebody else, or too old', async () => {
    const { user, code } = await seed('forge@example.com');
    const { browser, page, send } = await half(user);
    const [payload = '', mac = ''] = (browser.cookies.get('fl-login') ?? '').split('.');
    const state = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const other = await seed('other@example.com');
    const forged = Buffer.from(JSON.stringify({ ...state, userId: other.user.id })).toString('base64url');
    for (const cookie of [`${forged}.${mac}`, payload, `${payload}.`, `${payload}.${mac}.x`, 'x.y']) {
      browser.cookies.set('fl-login', cookie);
      assert.equal((await browser.submit(page, '/login/second-factor', { code: other.code() })).location, '/login');
    }
    browser.cookies.set('fl-login', `${payload}.${mac}`);
    idp.advance(601_000);
    assert.equal((await send(code())).location, '/login');
  });

  it('is refused from elsewhere', async () => {
    const { user, code } = await seed('csrf2@example.com');
    const { browser, page } = await half(user);
    const answer = await browser.submit(page, '/login/second-factor', { code: code(), csrf: 'x' });
    assert.equal(answer.status, 403);
  });
});
