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
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

describe('a reset of the password ends everything that was begun before it', () => {
  let idp: TestIdp;
  let logins: Logins;
  let shop: Headless;
  let client: Seeded;
  let tool: Seeded;
  before(async () => {
    idp = await startIdp({ database: 'server' });
    logins = createLogins(idp);
    shop = await seedHeadless(idp, 'acme');
    tool = await logins.client({
      clientType: 'public',
      allowedGrantTypes: [DEVICE_GRANT, 'refresh_token'],
      allowedScopes: ['openid', 'offline_access'],
    });
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
  async function preparedReset({ email }: UserRecord, status = 303): Promise<() => Promise<void>> {
    const browser = createBrowser(idp);
    const page = await browser.open(await mailedPath(email, '/login/forgot'));
    return async () => {
      assert.equal((await browser.submit(page, '/login/reset', { password: NEW })).status, status);
    };
  }

  /** A device that somebody connected who knows the old password. @param beforeApproval happens as they confirm */
  async function approvedDevice({ email }: UserRecord, scope: string, beforeApproval?: () => Promise<void>) {
    const thief = createBrowser(idp);
    await thief.logIn(email, OLD);
    const form = { ...logins.credentials(tool), scope };
    const { body } = await idp.call('POST', '/api/oauth/device_authorization', { form });
    const page = await thief.open(`/oauth/device?user_code=${body.user_code}`);
    const confirm = await thief.submit(page, '/oauth/device', { user_code: body.user_code });
    if (beforeApproval !== undefined) meanwhile(idp.deps, 'devices', 'decide', beforeApproval);
    const { title } = await thief.submit(confirm, '/oauth/device/decision', { decision: 'allow' });
    assert.equal(title, 'The device is connected');
    const poll = () => logins.token(tool, { grant_type: DEVICE_GRANT, device_code: body.device_code });
    return { thief, poll };
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

  it('a device code whose grant is written after the reset, also one that is to outlive the session', async () => {
    for (const scope of ['openid', 'openid offline_access']) {
      const user = await person();
      const { thief, poll } = await approvedDevice(user, scope);
      meanwhile(idp.deps, 'grants', 'insert', await preparedReset(user));
      const { status, body } = await poll();
      assert.deepEqual([status, body.error], [400, 'invalid_grant'], scope);
      assert.equal((await thief.open('/account')).title, 'Sign in');
      assert.equal(await alive(user), 0);
    }
  });

  it('a device that is approved in a session which ends meanwhile', async () => {
    const user = await person();
    const { poll } = await approvedDevice(user, 'openid offline_access', await preparedReset(user));
    assert.deepEqual((await poll()).body.error, 'invalid_grant');
    assert.equal(await alive(user), 0);
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

  it('also what was begun by the old password while it was changed, when the process ends right afterwards', async () => {
    for (const next of [
      'the owner signs in',
      'the owner signs in to a shop',
      'the thief comes',
      'the thief refreshes',
    ]) {
      const user = await person();
      const reset = await preparedReset(user, 500);
      let stolen: Awaited<ReturnType<typeof approvedDevice>> | undefined;
      let tokens: Record<string, string> = {};
      const { users } = idp.deps;
      const setPassword: typeof users.setPassword = async (...args) => {
        Object.assign(idp.deps, { users });
        stolen = await approvedDevice(user, 'openid offline_access');
        tokens = (await stolen.poll()).body;
        await users.setPassword(...args);
        throw new Error('killed');
      };
      Object.assign(idp.deps, { users: { ...users, setPassword } });
      await reset();
      assert.ok(tokens.refresh_token);
      if (next === 'the owner signs in') await createBrowser(idp).logIn(user.email, NEW);
      if (next === 'the owner signs in to a shop') await shop.call('login', { email: user.email, password: NEW });
      if (next === 'the thief comes') assert.equal((await stolen?.thief.open('/account'))?.title, 'Sign in');
      assert.equal((await logins.refresh(tool, tokens.refresh_token)).status, 400, next);
      const claims = await idp.deps.signer.verifyOwn(tokens.access_token ?? '');
      assert.equal(await idp.deps.revocations.isRevoked(claims), true, next);
      assert.equal(await alive(user), next.startsWith('the owner') ? 1 : 0, next);
      const owner = createBrowser(idp);
      assert.equal((await owner.logIn(user.email, NEW)).title, 'Your account', next);
      assert.equal((await owner.open('/account')).title, 'Your account', 'and stays signed in');
    }
  });

  it('and nothing of the login that is made with the new password', async () => {
    const user = await person();
    await (await preparedReset(user))();
    assert.equal((await createBrowser(idp).logIn(user.email, NEW)).title, 'Your account');
    assert.equal((await shop.call('login', { email: user.email, password: NEW })).status, 200);
  });
});
