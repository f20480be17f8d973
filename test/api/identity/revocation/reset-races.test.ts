import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { createTotp, revealTotp } from '../../../../api/identity/login/second-factor.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { type Headless, seedHeadless } from '../embed/embed-fixture.ts';
import { createLogins, type Logins, type Seeded } from '../oauth/logins.ts';
import { createBrowser } from '../pages/browse.ts';
import { meanwhile } from './meanwhile.ts';

const OLD = 'the password of the thief';
const NEW = 'a sentence that is only mine';

describe('a reset of the password ends everything that was begun before it', () => {
  let idp: TestIdp;
  let logins: Logins;
  let shop: Headless;
  let client: Seeded;
  before(async () => {
    idp = await startIdp();
    logins = createLogins(idp);
    shop = await seedHeadless(idp, 'acme');
    client = await logins.client({ allowedScopes: ['openid', 'profile', 'email', 'offline_access'] });
  });
  after(() => idp.stop());

  let people = 0;
  const person = (): Promise<UserRecord> => {
    people += 1;
    return idp.seedUser(`owner-${people}@example.com`, { password: OLD, org: 'acme' });
  };
  const alive = async ({ id }: UserRecord): Promise<number> => {
    const now = idp.deps.now();
    return (await idp.deps.sessions.listOfUser(id, now)).length + (await idp.deps.grants.listOfUser(id, now)).length;
  };

  async function mailedPath(email: string, action: '/login/link' | '/login/forgot'): Promise<string> {
    const browser = createBrowser(idp);
    const page = await browser.open(action === '/login/link' ? '/login' : action);
    await browser.submit(page, action, { email });
    await idp.deps.mailQueue.idle();
    const mail = idp.mailbox.findLast(({ to }) => to === email);
    return new RegExp(`${idp.issuer}(/login/\\S+)`).exec(mail?.text ?? '')?.[1] ?? assert.fail('no mail came');
  }

  /** The owner's reset, ready to be sent. */
  async function preparedReset({ email }: UserRecord): Promise<() => Promise<void>> {
    const browser = createBrowser(idp);
    const page = await browser.open(await mailedPath(email, '/login/forgot'));
    return async () => {
      assert.equal((await browser.submit(page, '/login/reset', { password: NEW })).status, 303);
    };
  }

  it('a session that is written after the reset, for a password that was checked before it', async () => {
    const user = await person();
    const thief = createBrowser(idp);
    const page = await thief.open('/login');
    meanwhile(idp.deps, 'sessions', 'insert', await preparedReset(user));
    const answer = await thief.submit(page, '/login', { email: user.email, password: OLD });
    assert.equal(answer.status, 401);
    assert.equal(thief.cookies.has('fl-session'), false);
    assert.equal(await alive(user), 0);
  });

  it('a session that is written by a mailed link which was taken before it', async () => {
    const user = await person();
    const reset = await preparedReset(user);
    const thief = createBrowser(idp);
    const page = await thief.open(await mailedPath(user.email, '/login/link'));
    meanwhile(idp.deps, 'links', 'consume', reset, 'after');
    assert.equal((await thief.submit(page, '/login/magic')).title, 'This link no longer works');
    assert.equal(await alive(user), 0);
  });

  it('a login that waits for its second factor', async () => {
    const user = await person();
    const totp = createTotp(idp.deps, user.id);
    await idp.deps.users.setTotp(user.id, totp);
    await idp.deps.users.confirmTotp(user.id, totp.secret, 0, idp.deps.now(), idp.deps.now());
    const app = new TOTP({ secret: Secret.fromBase32(revealTotp(idp.deps, user, totp).secret) });
    const thief = createBrowser(idp);
    const page = await thief.logIn(user.email, OLD);
    assert.equal(page.title, 'One more step');
    await (await preparedReset(user))();
    const code = app.generate({ timestamp: idp.deps.now().getTime() });
    const answer = await thief.follow(await thief.submit(page, '/login/second-factor', { code }));
    assert.equal(answer.title, 'Sign in');
    assert.equal(await alive(user), 0);
  });

  it('a headless login whose grant is written after the reset', async () => {
    const user = await person();
    meanwhile(idp.deps, 'grants', 'insert', await preparedReset(user));
    const { status, body } = await shop.call('login', { email: user.email, password: OLD });
    assert.deepEqual([status, body.access_token], [400, undefined]);
    assert.equal(await alive(user), 0);
    assert.equal((await shop.call('login', { email: user.email, password: NEW })).status, 200);
  });

  it('a code whose grant is written after the reset, also one that is to outlive the session', async () => {
    for (const scopes of [['openid'], ['openid', 'offline_access']]) {
      const user = await person();
      const { form } = await logins.seedCode(client, user, { scopes });
      meanwhile(idp.deps, 'grants', 'insert', await preparedReset(user));
      const { status, body } = await logins.token(client, form);
      assert.deepEqual([status, body.error], [400, 'invalid_grant'], scopes.join(' '));
      assert.equal(await alive(user), 0);
    }
  });

  it('a change of the password by who showed the old one before the reset', async () => {
    const user = await person();
    const thief = createBrowser(idp);
    const page = await thief.logIn(user.email, OLD);
    meanwhile(idp.deps, 'users', 'setPassword', await preparedReset(user));
    const answer = await thief.submit(page, '/account/password', { current: OLD, password: 'the thief takes it over' });
    assert.equal(answer.status, 409);
    assert.equal((await createBrowser(idp).logIn(user.email, 'the thief takes it over')).title, 'Sign in');
    assert.equal((await createBrowser(idp).logIn(user.email, NEW)).title, 'Your account');
  });

  it('also when the process ends as soon as the password is changed: the old one has left nobody signed in', async () => {
    const user = await person();
    const browser = createBrowser(idp);
    const page = await browser.open(await mailedPath(user.email, '/login/forgot'));
    const thief = createBrowser(idp);
    await thief.logIn(user.email, OLD);
    const { body } = await shop.call('login', { email: user.email, password: OLD });
    meanwhile(idp.deps, 'users', 'setPassword', () => Promise.reject(new Error('killed')), 'after');
    assert.equal((await browser.submit(page, '/login/reset', { password: NEW })).status, 500);
    assert.equal((await thief.open('/account')).title, 'Sign in');
    assert.equal((await shop.call('login', { email: user.email, password: NEW })).status, 200);
    assert.equal(await alive(user), 1, 'the login with the new password');
    assert.ok(body.access_token);
  });

  it('and nothing of the login that is made with the new password', async () => {
    const user = await person();
    await (await preparedReset(user))();
    assert.equal((await createBrowser(idp).logIn(user.email, NEW)).title, 'Your account');
    assert.equal((await shop.call('login', { email: user.email, password: NEW })).status, 200);
  });
});
