import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startIdp, type TestIdp } from '../../../../support/start-idp.ts';
import { createBrowser, hiddenFields } from '../browse.ts';

const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse battery';

describe('the login page', () => {
  let idp: TestIdp;
  before(async () => {
    idp = await startIdp();
    await idp.seedUser(EMAIL, { password: PASSWORD });
  });
  after(() => idp.stop());

  it('signs in with address and password and leads to the account', async () => {
    const page = await createBrowser(idp).logIn(EMAIL, PASSWORD);
    assert.equal(page.title, 'Your account');
    assert.match(page.html, /ada@example\.com/);
  });

  it('keeps the address in the form and moves the focus to the password after a wrong one', async () => {
    const browser = createBrowser(idp);
    const answer = await browser.submit(await browser.open('/login'), '/login', { email: EMAIL, password: 'wrong' });
    assert.equal(answer.status, 401);
    assert.match(answer.html, /role="alert">The e-mail address or the password is wrong\./);
    assert.match(answer.html, /id="email"[^>]* value="ada@example\.com"/);
    assert.match(answer.html, /id="password"[^>]* autofocus aria-invalid="true" aria-describedby="error"/);
    assert.doesNotMatch(answer.html, /value="wrong"/);
  });

  it('answers alike for an address nobody has and for a wrong password', async () => {
    const browser = createBrowser(idp);
    const login = await browser.open('/login');
    const known = await browser.submit(login, '/login', { email: EMAIL, password: 'wrong' });
    const unknown = await browser.submit(login, '/login', { email: 'eve@example.com', password: 'wrong' });
    assert.equal(unknown.status, known.status);
    assert.equal(unknown.html.replace('eve@', 'ada@'), known.html);
  });

  it('refuses somebody who is suspended, and ends their session at once', async () => {
    const user = await idp.seedUser('suspended@example.com', { password: PASSWORD });
    const browser = createBrowser(idp);
    await browser.logIn(user.email, PASSWORD);
    await idp.deps.users.update(user.id, { suspendedAt: idp.deps.now() });
    assert.equal((await browser.open('/account')).title, 'Sign in');
    const again = await browser.submit(await browser.open('/login'), '/login', {
      email: user.email,
      password: PASSWORD,
    });
    assert.equal(again.status, 401);
  });

  it('gives another session secret at every login, so that a planted cookie does not work', async () => {
    const attacker = createBrowser(idp);
    await attacker.logIn(EMAIL, PASSWORD);
    const planted = attacker.cookies.get('fl-session') ?? '';
    const victim = createBrowser(idp);
    victim.cookies.set('fl-session', planted);
    const login = await victim.open('/login?reauth=1');
    await victim.submit(login, '/login', { email: EMAIL, password: PASSWORD });
    assert.notEqual(victim.cookies.get('fl-session'), planted);
    assert.equal((await attacker.open('/account')).title, 'Sign in');
    assert.equal((await victim.open('/account')).title, 'Your account');
  });

  it('does not take over a session secret that nobody was given', async () => {
    const browser = createBrowser(idp);
    browser.cookies.set('fl-session', 'flss_chosen-by-an-attacker');
    await browser.logIn(EMAIL, PASSWORD);
    assert.notEqual(browser.cookies.get('fl-session'), 'flss_chosen-by-an-attacker');
  });

  it('ends the session of whoever was signed in before, when somebody else signs in', async () => {
    await idp.seedUser('grace@example.com', { password: PASSWORD });
    const browser = createBrowser(idp);
    await browser.logIn(EMAIL, PASSWORD);
    const before = browser.cookies.get('fl-session') ?? '';
    const login = await browser.open('/login?reauth=1');
    await browser.submit(login, '/login', { email: 'grace@example.com', password: PASSWORD });
    assert.match((await browser.open('/account')).html, /grace@example\.com/);
    const old = createBrowser(idp);
    old.cookies.set('fl-session', before);
    assert.equal((await old.open('/account')).title, 'Sign in');
  });

  it('lets no persona in, whatever they have', async () => {
    const persona = await idp.seedUser('persona+bot@guild.personas.invalid', { password: PASSWORD });
    const browser = createBrowser(idp);
    const form = { email: persona.email, password: PASSWORD };
    assert.equal((await browser.submit(await browser.open('/login'), '/login', form)).status, 401);
    assert.equal(browser.cookies.has('fl-session'), false);
  });

  it('clears the marker of an account that waits for its first password', async () => {
    const onboardingPending = { orgSlug: 'platform', clientId: 'shop-prod', since: idp.deps.now() };
    const user = await idp.seedUser('new@example.com', { password: PASSWORD, fields: { onboardingPending } });
    await createBrowser(idp).logIn(user.email, PASSWORD);
    assert.equal((await idp.deps.users.find(user.id))?.onboardingPending, null);
  });

  it('skips the form for somebody who is signed in, unless they are to prove it anew', async () => {
    const browser = createBrowser(idp);
    await browser.logIn(EMAIL, PASSWORD);
    assert.equal((await browser.open('/login')).title, 'Your account');
    const again = await browser.open('/login?reauth=1');
    assert.equal(again.title, 'Sign in');
    assert.match(again.html, /value="ada@example\.com"/);
  });

  it('sets a cookie that scripts cannot read and other sites do not send', async () => {
    const browser = createBrowser(idp);
    const answer = await browser.submit(await browser.open('/login'), '/login', { email: EMAIL, password: PASSWORD });
    const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('fl-session=')) ?? '';
    assert.match(cookie, /^fl-session=flss_[^;]+; Max-Age=604\d{3}; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  const EVIL = [
    '//evil.example',
    '/\\evil.example',
    '%2f%2fevil.example',
    'https:evil.example',
    'https://evil.example',
  ];
  const TRICKS = [
    '/account/../../evil',
    '/\t/evil.example',
    '/login',
    '/oauth/authorize/decision',
    'javascript:alert(1)',
    '/account#x',
  ];
  for (const returnTo of [...EVIL, ...TRICKS]) {
    it(`leads to the account instead of ${JSON.stringify(returnTo)}`, async () => {
      const browser = createBrowser(idp);
      const login = await browser.open(`/login?return_to=${encodeURIComponent(returnTo)}`);
      assert.equal(hiddenFields(login, '/login').return_to, '/account');
      const form = { email: EMAIL, password: PASSWORD, return_to: returnTo };
      assert.equal((await browser.submit(login, '/login', form)).location, '/account');
    });
  }

  it('refuses a form from elsewhere: without the token, with that of another browser, or by what the browser says', async () => {
    const browser = createBrowser(idp);
    const login = await browser.open('/login');
    const stranger = hiddenFields(await createBrowser(idp).open('/login'), '/login').csrf ?? '';
    const form = { email: EMAIL, password: PASSWORD };
    const attempts = await Promise.all([
      browser.submit(login, '/login', { ...form, csrf: '' }),
      browser.submit(login, '/login', { ...form, csrf: stranger }),
      browser.submit(login, '/login', form, { 'sec-fetch-site': 'cross-site' }),
      browser.submit(login, '/login', form, { 'sec-fetch-site': 'same-site' }),
      browser.submit(login, '/login', form, { origin: 'https://evil.example' }),
      createBrowser(idp).submit(login, '/login', form),
    ]);
    for (const { status, title } of attempts) {
      assert.equal(status, 403);
      assert.equal(title, 'This form has expired');
    }
    assert.equal(browser.cookies.has('fl-session'), false);
  });

  it('refuses fields that are no text, too long, or there twice', async () => {
    const browser = createBrowser(idp);
    const { csrf = '' } = hiddenFields(await browser.open('/login'), '/login');
    const forms = [
      new URLSearchParams([
        ['csrf', csrf],
        ['email', EMAIL],
        ['email', EMAIL],
        ['password', PASSWORD],
      ]),
      new URLSearchParams({ csrf, 'email[$ne]': 'x', password: PASSWORD }),
      new URLSearchParams({ csrf, email: EMAIL, password: 'x'.repeat(1_025) }),
    ];
    for (const form of forms) {
      const answer = await browser.request('POST', '/login', { form });
      assert.equal(answer.status, 400);
      assert.match(answer.headers.get('content-type') ?? '', /text\/html/);
    }
    const json = await browser.request('POST', '/login', { json: { csrf, email: { $ne: null }, password: PASSWORD } });
    assert.equal(json.status, 415);
  });

  it('asks to wait after too many failures, on a page', async () => {
    await idp.seedUser('locked@example.com', { password: PASSWORD });
    const browser = createBrowser(idp);
    const login = await browser.open('/login');
    let last = login;
    for (let tries = 0; tries < 11; tries += 1) {
      last = await browser.submit(login, '/login', { email: 'locked@example.com', password: 'wrong' });
    }
    assert.equal(last.status, 429);
    assert.match(last.html, /Too many failed attempts/);
  });

  it('ends a session that was idle for half a day, and any after a week', async () => {
    const idle = createBrowser(idp);
    await idle.logIn(EMAIL, PASSWORD);
    idp.advance(12 * 3_600_000 + 1_000);
    assert.equal((await idle.open('/account')).title, 'Sign in');
    const busy = createBrowser(idp);
    await busy.logIn(EMAIL, PASSWORD);
    for (let hours = 0; hours < 160; hours += 8) {
      idp.advance(8 * 3_600_000);
      assert.equal((await busy.open('/account')).title, 'Your account');
    }
    idp.advance(8.1 * 3_600_000);
    assert.equal((await busy.open('/account')).title, 'Sign in');
  });
});
