import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { type Headless, seedHeadless } from '../embed/embed-fixture.ts';
import { createBrowser } from '../pages/browse.ts';

const PASSWORD = 'correct horse battery';
const NEW = 'a sentence that is only mine';
const HOUR_MS = 3_600_000;

describe('a sign-in at a new device', () => {
  let idp: TestIdp;
  let shop: Headless;
  let people = 0;
  before(async () => {
    idp = await startIdp();
    shop = await seedHeadless(idp, 'acme');
  });
  after(() => idp.stop());

  async function seed(ageMs = 2 * HOUR_MS) {
    people += 1;
    const user = await idp.seedUser(`device${people}@example.com`, { org: 'acme', password: PASSWORD });
    idp.advance(ageMs);
    return user;
  }

  /** Mails that told somebody of a new device. */
  async function told({ email }: { email: string }) {
    await idp.deps.mailQueue.idle();
    return idp.mailbox.filter(({ kind, to }) => kind === 'new_device' && to === email);
  }

  it('is told by mail once, with where it was, in the words of the platform', async () => {
    const user = await seed();
    const browser = createBrowser(idp);
    await browser.logIn(user.email, PASSWORD);
    const [mail, ...others] = await told(user);
    assert.equal(others.length, 0);
    assert.match(mail?.text ?? '', /Unknown browser, 127\.0\.0\.1, .* UTC\..*\/account/s);
    await browser.open('/oauth/logout');
    browser.cookies.delete('fl-session');
    await browser.logIn(user.email, PASSWORD);
    assert.equal((await told(user)).length, 1, 'the browser is known');
    await createBrowser(idp).logIn(user.email, PASSWORD);
    assert.equal((await told(user)).length, 2, 'another browser');
    const other = await seed();
    browser.cookies.delete('fl-session');
    await browser.logIn(other.email, PASSWORD);
    assert.equal((await told(other)).length, 1, 'known for somebody else');
  });

  it('says nothing that whoever signs in wrote into their browser', async () => {
    const user = await seed();
    const browser = createBrowser(idp);
    const headers = { 'user-agent': 'Call +1 900 evil now' };
    await browser.submit(await browser.open('/login'), '/login', { email: user.email, password: PASSWORD }, headers);
    assert.doesNotMatch((await told(user))[0]?.text ?? '', /evil|900/);
  });

  it('is told again after the password was changed, also of browsers that were known', async () => {
    const user = await seed();
    const browser = createBrowser(idp);
    const page = await browser.logIn(user.email, PASSWORD);
    await browser.submit(page, '/account/password', { current: PASSWORD, password: NEW });
    browser.cookies.delete('fl-session');
    await browser.logIn(user.email, NEW);
    assert.equal((await told(user)).length, 2);
  });

  it('is told of a client with pages of its own, and not of the first login of an account that was just made', async () => {
    const user = await seed();
    for (let login = 0; login < 2; login += 1) {
      assert.equal((await shop.call('login', { email: user.email, password: PASSWORD })).status, 200);
    }
    assert.deepEqual(
      (await told(user)).map(({ text }) => text.includes(shop.clientId)),
      [true],
    );
    const fresh = await seed(0);
    await createBrowser(idp).logIn(fresh.email, PASSWORD);
    assert.deepEqual(await told(fresh), []);
  });
});
