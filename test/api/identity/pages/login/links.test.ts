import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startIdp, type TestIdp } from '../../../../support/start-idp.ts';
import { authorizePath, createBrowser } from '../browse.ts';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'a quite different sentence';

describe('links that work once', () => {
  let idp: TestIdp;
  before(async () => {
    idp = await startIdp({ database: 'server' });
  });
  after(() => idp.stop());

  /** Asks for a link on the login page and returns its path, as the mail has it. */
  async function mailed(email: string, action: '/login/link' | '/login/forgot', returnTo?: string): Promise<string> {
    const browser = createBrowser(idp);
    const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`;
    const page = await browser.open(`${action === '/login/link' ? '/login' : '/login/forgot'}${query}`);
    assert.equal((await browser.submit(page, action, { email })).title, 'Check your e-mail');
    await idp.deps.mailQueue.idle();
    const mail = idp.mailbox.findLast(({ to }) => to === email);
    const [, path = ''] = new RegExp(`${idp.issuer}(/login/\\S+)`).exec(mail?.text ?? '') ?? [];
    return path;
  }

  describe('to sign in', () => {
    it('signs in, shows the address as verified, and leads to where the login was for', async () => {
      const user = await idp.seedUser('ada@example.com', { fields: { emailVerified: false } });
      const path = await mailed(user.email, '/login/link', '/oauth/device?user_code=ABCD');
      const browser = createBrowser(idp);
      const page = await browser.open(path);
      assert.match(page.html, /You are signing in as <strong>ada@example\.com<\/strong>/);
      const answer = await browser.submit(page, '/login/magic');
      assert.equal(answer.location, '/oauth/device?user_code=ABCD');
      assert.equal((await browser.open('/account')).title, 'Your account');
      assert.equal((await idp.deps.users.find(user.id))?.emailVerified, true);
      const [session] = await idp.deps.sessions.listOfUser(user.id, idp.deps.now());
      assert.deepEqual(session?.methods, ['email']);
    });

    it("is not used up by a mail scanner's GET or HEAD", async () => {
      await idp.seedUser('scanned@example.com');
      const path = await mailed('scanned@example.com', '/login/link');
      for (let visits = 0; visits < 3; visits += 1) await createBrowser(idp).open(path);
      await createBrowser(idp).request('HEAD', path);
      const browser = createBrowser(idp);
      assert.equal((await browser.submit(await browser.open(path), '/login/magic')).status, 303);
    });

    it('lets one of fifty at once in', async () => {
      await idp.seedUser('race@example.com');
      const path = await mailed('race@example.com', '/login/link');
      const browsers = Array.from({ length: 50 }, () => createBrowser(idp));
      const pages = await Promise.all(browsers.map((browser) => browser.open(path)));
      const answers = await Promise.all(
        browsers.map((browser, index) => {
          const page = pages[index];
          assert.ok(page);
          return browser.submit(page, '/login/magic');
        }),
      );
      assert.equal(answers.filter(({ status }) => status === 303).length, 1);
      const refused = answers.filter(({ title }) => title === 'This link no longer works');
      assert.equal(refused.length, 49);
      assert.equal(browsers.filter(({ cookies }) => cookies.has('fl-session')).length, 1);
    });

    it('works once, a quarter of an hour, and only the newest', async () => {
      await idp.seedUser('once@example.com');
      const first = await mailed('once@example.com', '/login/link');
      const second = await mailed('once@example.com', '/login/link');
      assert.equal((await createBrowser(idp).open(first)).title, 'This link no longer works');
      const browser = createBrowser(idp);
      await browser.submit(await browser.open(second), '/login/magic');
      assert.equal((await createBrowser(idp).open(second)).status, 400);
      const third = await mailed('once@example.com', '/login/link');
      idp.advance(15 * 60_000 + 1_000);
      assert.equal((await createBrowser(idp).open(third)).status, 400);
    });

    it('tells nothing of whether there is such an account, and sends nothing to nobody', async () => {
      const browser = createBrowser(idp);
      const login = await browser.open('/login');
      const before = idp.mailbox.length;
      await idp.seedUser('known@example.com');
      const known = await browser.submit(login, '/login/link', { email: 'known@example.com' });
      const nobody = await browser.submit(login, '/login/link', { email: 'nobodyy@example.com' });
      await idp.deps.mailQueue.idle();
      assert.equal(nobody.status, 200);
      assert.equal(nobody.html.replace('nobodyy@', 'known@'), known.html);
      assert.deepEqual(
        idp.mailbox.slice(before).map(({ to }) => to),
        ['known@example.com'],
      );
    });

    it('is refused from elsewhere, and then not used up', async () => {
      await idp.seedUser('forged@example.com');
      const path = await mailed('forged@example.com', '/login/link');
      const browser = createBrowser(idp);
      const page = await browser.open(path);
      assert.equal((await browser.submit(page, '/login/magic', { csrf: 'x' })).status, 403);
      assert.equal((await browser.submit(page, '/login/magic', {}, { 'sec-fetch-site': 'cross-site' })).status, 403);
      assert.equal((await browser.submit(page, '/login/magic')).status, 303);
    });

    it('is no way around suspension', async () => {
      const user = await idp.seedUser('gone@example.com');
      const path = await mailed(user.email, '/login/link');
      await idp.deps.users.update(user.id, { suspendedAt: idp.deps.now() });
      assert.equal((await createBrowser(idp).open(path)).status, 400);
    });

    it('takes an account away from whoever made it in the name of somebody else', async () => {
      const user = await idp.seedUser('victim@example.com', { password: PASSWORD, fields: { emailVerified: false } });
      const squatter = createBrowser(idp);
      const account = await squatter.logIn(user.email, PASSWORD);
      const setUp = await squatter.submit(account, '/account/totp');
      const { totp } = (await idp.deps.users.find(user.id)) ?? assert.fail('no user');
      assert.ok(totp !== null && setUp.status === 200);
      await idp.deps.users.confirmTotp(user.id, totp.secret, 0, idp.deps.now(), idp.deps.now());

      const owner = createBrowser(idp);
      const page = await owner.open(await mailed(user.email, '/login/link'));
      const inside = await owner.follow(await owner.submit(page, '/login/magic'));
      assert.equal(inside.title, 'Your account', 'no second factor of the squatter is asked for');
      assert.equal((await squatter.open('/account')).title, 'Sign in');
      assert.equal((await createBrowser(idp).logIn(user.email, PASSWORD)).status, 401);

      const reset = await owner.open(await mailed(user.email, '/login/forgot'));
      await owner.submit(reset, '/login/reset', { password: NEW_PASSWORD });
      assert.equal((await owner.logIn(user.email, NEW_PASSWORD)).title, 'Your account');
    });

    it("carries the client's brand when the login is for a client", async () => {
      await idp.seedUser('brand@example.com');
      const redirectUri = 'https://shop.example/api/auth/callback';
      await idp.seedClient('shop-prod', {
        name: 'The Shop',
        redirectUris: [redirectUri],
        trustedClient: true,
        whiteLabel: { emailFromName: 'Shop & Co', logoUrl: 'https://cdn.example/logo.svg', primaryColor: '#ffcc00' },
      });
      const returnTo = authorizePath({ client_id: 'shop-prod', redirect_uri: redirectUri });
      const browser = createBrowser(idp);
      const page = await browser.open(await mailed('brand@example.com', '/login/link', returnTo));
      assert.match(page.html, /<img class="logo" src="https:\/\/cdn\.example\/logo\.svg" alt="Shop &amp; Co"/);
      assert.match(page.html, /href="\/assets\/brand-ffcc00\.css"/);
      const policy = page.headers.get('content-security-policy') ?? '';
      assert.match(policy, /img-src 'self' https:\/\/cdn\.example;/);
      assert.match(policy, /form-action 'self' https:\/\/shop\.example;/);
      const answer = await browser.follow(await browser.submit(page, '/login/magic'));
      assert.ok(answer.location?.startsWith(`${redirectUri}?code=`));
    });
  });

  describe('to choose a new password', () => {
    it('sets it, ends every login, and leads to the login page', async () => {
      const user = await idp.seedUser('reset@example.com', { password: PASSWORD });
      const before = createBrowser(idp);
      await before.logIn(user.email, PASSWORD);
      const browser = createBrowser(idp);
      const page = await browser.open(await mailed(user.email, '/login/forgot'));
      assert.equal(page.title, 'Choose a new password');
      const done = await browser.follow(await browser.submit(page, '/login/reset', { password: NEW_PASSWORD }));
      assert.match(done.html, /role="status">Your password is changed/);
      assert.equal((await before.open('/account')).title, 'Sign in');
      assert.equal((await browser.logIn(user.email, NEW_PASSWORD)).title, 'Your account');
      assert.equal((await createBrowser(idp).logIn(user.email, PASSWORD)).status, 401);
    });

    it('says what is wrong with a password without using the link up', async () => {
      await idp.seedUser('weak@example.com', { password: PASSWORD });
      const browser = createBrowser(idp);
      const page = await browser.open(await mailed('weak@example.com', '/login/forgot'));
      const refused = await browser.submit(page, '/login/reset', { password: 'short' });
      assert.equal(refused.status, 400);
      assert.match(refused.html, /role="alert">Use at least 10 characters/);
      assert.equal((await browser.submit(refused, '/login/reset', { password: NEW_PASSWORD })).status, 303);
    });

    it('lets one of fifty at once set it', async () => {
      const user = await idp.seedUser('resets@example.com', { password: PASSWORD });
      const path = await mailed(user.email, '/login/forgot');
      const browser = createBrowser(idp);
      const page = await browser.open(path);
      const passwords = Array.from({ length: 50 }, (_, index) => `password number ${index} of many`);
      const answers = await Promise.all(
        passwords.map((password) => browser.submit(page, '/login/reset', { password })),
      );
      const winners = passwords.filter((_, index) => answers[index]?.status === 303);
      assert.equal(winners.length, 1);
      assert.equal((await createBrowser(idp).logIn(user.email, winners[0] ?? '')).title, 'Your account');
    });

    it('is no link to sign in with, nor the other way round', async () => {
      await idp.seedUser('mixed@example.com', { password: PASSWORD });
      const reset = await mailed('mixed@example.com', '/login/forgot');
      assert.equal((await createBrowser(idp).open(reset.replace('/login/reset', '/login/magic'))).status, 400);
    });

    it('tells nothing of whether there is such an account', async () => {
      const browser = createBrowser(idp);
      const page = await browser.open('/login/forgot');
      const known = await browser.submit(page, '/login/forgot', { email: 'mixed@example.com' });
      const nobody = await browser.submit(page, '/login/forgot', { email: 'never@example.com' });
      assert.equal(nobody.html.replace('never@', 'mixed@'), known.html);
    });
  });

  describe('of the first administrator', () => {
    it('makes one account, signs in, and works for nobody after that', async () => {
      const path = idp.firstAdminUrl.slice(idp.issuer.length);
      const browser = createBrowser(idp);
      const page = await browser.open(path);
      assert.equal(page.title, 'Welcome to Fairlead');
      const person = { firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com', password: NEW_PASSWORD };
      const weak = await browser.submit(page, '/welcome', { ...person, password: 'short' });
      assert.equal(weak.status, 400);
      assert.match(weak.html, /value="grace@example\.com"/);
      const browsers = Array.from({ length: 10 }, () => createBrowser(idp));
      const answers = await Promise.all(
        browsers.map(async (one, index) =>
          one.submit(await one.open(path), '/welcome', { ...person, email: `grace${index}@example.com` }),
        ),
      );
      assert.equal(answers.filter(({ location }) => location === '/account').length, 1);
      assert.equal(await idp.deps.users.countWithPlatformRole('super_admin'), 1);
      assert.equal((await createBrowser(idp).open(path)).title, 'This link no longer works');
    });
  });

  describe('an invitation', () => {
    async function invite(email: string): Promise<string> {
      const org = (await idp.deps.orgs.find('guild')) ?? (await idp.seedOrg('guild', { name: 'The Guild' }));
      const token = idp.deps.tokens.create('floi_');
      await idp.deps.invites.insert({
        id: idp.deps.newId('invite'),
        orgId: org.id,
        orgSlug: org.slug,
        email,
        role: 'member',
        modules: [],
        tokenHash: idp.deps.tokens.hash(token),
        invitedBy: 'internal',
        createdAt: idp.deps.now(),
        expiresAt: new Date(idp.deps.now().getTime() + 86_400_000),
        acceptedAt: null,
        acceptedBy: null,
        finishedAt: null,
        revokedAt: null,
      });
      return `/invites/accept?token=${token}`;
    }

    it('makes the account of somebody new and signs them in, once', async () => {
      const path = await invite('new@example.com');
      const browser = createBrowser(idp);
      const page = await browser.open(path);
      assert.equal(page.title, 'Join The Guild');
      const person = { firstName: 'Ada', lastName: 'King', password: NEW_PASSWORD };
      const refused = await browser.submit(page, '/invites/accept', { ...person, password: 'short' });
      assert.equal(refused.status, 400);
      const done = await browser.follow(await browser.submit(refused, '/invites/accept', person));
      assert.match(done.html, /new@example\.com/);
      assert.equal((await createBrowser(idp).open(path)).title, 'This invitation no longer works');
    });

    it('asks somebody who has an account to sign in, and then to join', async () => {
      const user = await idp.seedUser('member@example.com', { password: PASSWORD });
      const path = await invite(user.email);
      const browser = createBrowser(idp);
      const page = await browser.open(path);
      assert.doesNotMatch(page.html, /name="password"/);
      const [, login = ''] = /class="button" href="([^"]+)"/.exec(page.html) ?? [];
      const form = await browser.open(login.replaceAll('&amp;', '&'));
      const back = await browser.follow(
        await browser.submit(form, '/login', { email: user.email, password: PASSWORD }),
      );
      assert.equal(back.title, 'Join The Guild');
      assert.equal((await browser.submit(back, '/invites/accept')).location, '/account');
      assert.equal((await idp.deps.users.find(user.id))?.primaryOrg, 'guild');
    });

    it('is for the invited address alone', async () => {
      await idp.seedUser('somebody@example.com', { password: PASSWORD });
      const path = await invite('else@example.com');
      const browser = createBrowser(idp);
      await browser.logIn('somebody@example.com', PASSWORD);
      const page = await browser.open(path);
      assert.match(page.html, /You are signed in as somebody@example\.com, which is another address/);
      const account = await browser.open('/account');
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(account.html) ?? [];
      const token = path.split('token=')[1] ?? '';
      const answer = await browser.request('POST', '/invites/accept', { form: { csrf, token } });
      assert.equal(answer.title, 'This invitation no longer works');
    });
  });
});
