import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { createRecoveryCodes, createTotp, revealTotp } from '../../../api/identity/login/second-factor.ts';
import { FACTOR_TRIAL_DAYS } from '../../../domain/identity/second-factors.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { INVITE_PREFIXES } from '../../../domain/orgs/invite-token.ts';
import { inviteRecord } from '../../ports/identity/records.ts';
import { isPlayed } from '../../support/is-played.ts';
import { type KilledProvider, startKilledProcess, startMortalProvider } from '../../support/killed-provider.ts';
import { type Answer, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { type Headless, PASSWORD, seedHeadless, signupBody } from './embed/embed-fixture.ts';
import { createAuthenticator } from './pages/account/create-authenticator.ts';
import { type Browser, createBrowser, type Page } from './pages/browse.ts';

/** `KILL_PROCESSES=1` kills real processes by SIGKILL instead, which takes minutes. */
const start = process.env.KILL_PROCESSES === '1' ? startKilledProcess : startMortalProvider;
const NEW = 'another sentence of mine';
const DAY_MS = 86_400_000;

/** What somebody begins at a provider that is killed, and how it stands and goes on at the other one. */
interface Flow {
  attempt(): Promise<unknown>;
  finish(killed: boolean): Promise<void>;
}

describe('a provider that is killed at any write leaves nothing that the other one cannot finish', () => {
  let idp: TestIdp;
  let victim: KilledProvider;
  let shop: Headless;
  let orgId: string;
  let people = 0;
  before(async () => {
    idp = await startIdp({ database: 'server' });
    victim = await start(idp);
    shop = await seedHeadless(idp, 'acme');
    orgId = (await idp.deps.orgs.find('acme'))?.id ?? '';
  });
  after(async () => {
    await victim?.stop();
    await idp?.stop();
  });

  const address = (): string => {
    people += 1;
    return `person-${people}@example.com`;
  };
  const find = async (email: string): Promise<UserRecord> =>
    (await idp.deps.users.findByEmail(email)) ?? assert.fail(`${email} has no account`);
  const told = (type: string, subject: string) => idp.db.collection('audit_events').countDocuments({ type, subject });
  const atVictim = (name: string, json: unknown): Promise<Answer> =>
    victim.call('POST', `/api/embed/${name}`, { json, headers: shop.headers });

  /** Somebody's browser, which talks to the provider that is killed, or, from `moved` on, to the other one. */
  function twoDoors() {
    let door: Pick<TestIdp, 'call'> = victim;
    const browser = createBrowser({ issuer: idp.issuer, call: (...request) => door.call(...request) });
    const moveTo = (other: Pick<TestIdp, 'call'>): void => {
      door = other;
    };
    return { browser, moveTo };
  }

  /** Begins it anew for each write there is, killed before it and after it. */
  async function atEachWrite(begin: () => Promise<Flow>): Promise<void> {
    for (const moment of ['before', 'after'] as const) {
      let write = 0;
      for (let killed = true; killed; ) {
        write += 1;
        if (!isPlayed(write)) continue;
        const { attempt, finish } = await begin();
        killed = await victim.killedAt({ write, moment }, attempt);
        await finish(killed).catch((cause: unknown) => {
          throw new Error(`killed ${moment} write ${write}`, { cause });
        });
      }
      assert.ok(write > 2, `${write}`);
    }
  }

  async function invited(email: string) {
    const token = idp.deps.tokens.create(INVITE_PREFIXES.handed);
    const [inviteId, createdAt] = [idp.deps.newId('invite'), idp.deps.now()];
    const times = { createdAt, expiresAt: new Date(createdAt.getTime() + DAY_MS) };
    const invite = {
      id: inviteId,
      orgId,
      orgSlug: 'acme',
      email,
      role: 'viewer',
      modules: [],
      invitedBy: 'internal',
    } as const;
    await idp.deps.invites.insert(inviteRecord({ ...invite, ...times, tokenHash: idp.deps.tokens.hash(token) }));
    return { path: `/invites/accept?token=${token}`, token, inviteId };
  }

  /** One account, a member once, told once, who signs in; and nobody comes back by the invitation that was used. */
  async function joinedOnce(email: string, { path, inviteId }: { path: string; inviteId: string }): Promise<void> {
    const user = await find(email);
    assert.equal(await idp.db.collection('users').countDocuments({ email }), 1);
    const memberships = await idp.deps.memberships.listOfUser(user.id);
    assert.deepEqual(
      memberships.map(({ orgSlug, roles }) => [orgSlug, roles]),
      [['acme', ['viewer']]],
    );
    assert.equal(user.onboardingPending, null);
    assert.equal(await told('org.invite_accepted', inviteId), 1);
    const browser = createBrowser(idp);
    assert.equal((await browser.logIn(email, PASSWORD)).title, 'Your account');
    const removed = `/api/v2/orgs/acme/members/${user.id}`;
    assert.equal((await idp.call('DELETE', removed, { headers: idp.internal })).status, 200);
    const again = await browser.open(path);
    if (again.status === 200) await browser.submit(again, '/invites/accept');
    assert.equal(await idp.deps.memberships.find(user.id, orgId), null, 'came back by the invitation');
  }

  it('sign-up with an invitation', async () => {
    await atEachWrite(async () => {
      const email = address();
      const invite = await invited(email);
      const body = { ...signupBody('acme', email), inviteToken: invite.token };
      return {
        attempt: () => atVictim('signup', body),
        async finish() {
          const { status, text } = await shop.call('signup', body);
          assert.ok([201, 400, 409].includes(status), text);
          assert.equal((await shop.call('signup', body)).status === 201, false, 'twice');
          assert.equal((await shop.call('login', { email, password: PASSWORD })).status, 200, text);
          assert.equal(await told('user.signed_up', (await find(email)).id), 1);
          await joinedOnce(email, invite);
        },
      };
    });
  });

  it('an invitation that is accepted on its page by somebody new', async () => {
    await atEachWrite(async () => {
      const email = address();
      const invite = await invited(email);
      const { browser, moveTo } = twoDoors();
      const page = await browser.open(invite.path);
      const accept = (shown: Page) =>
        browser.submit(shown, '/invites/accept', { firstName: 'Grace', lastName: 'Hopper', password: PASSWORD });
      return {
        attempt: () => accept(page),
        async finish() {
          moveTo(idp);
          const again = await browser.open(invite.path);
          if (again.status === 200 && /name="password"/.test(again.html)) await accept(again);
          await joinedOnce(email, invite);
        },
      };
    });
  });

  it('an invitation that is accepted by somebody with an account', async () => {
    await atEachWrite(async () => {
      const { email } = await idp.seedUser(address(), { password: PASSWORD });
      const invite = await invited(email);
      const { browser, moveTo } = twoDoors();
      await browser.logIn(email, PASSWORD);
      const page = await browser.open(invite.path);
      return {
        attempt: () => browser.submit(page, '/invites/accept'),
        async finish() {
          moveTo(idp);
          await browser.submit(page, '/invites/accept');
          await joinedOnce(email, invite);
        },
      };
    });
  });

  const codeOf = (key: string, ahead = 0): string =>
    new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: Date.now() + ahead * 30_000 });
  const keyOf = ({ html }: Page): string =>
    /Key: <code>([A-Z2-7 ]+)<\/code>/.exec(html)?.[1]?.replaceAll(' ', '') ?? '';

  it('an authenticator app that is added', async () => {
    await atEachWrite(async () => {
      const { email } = await idp.seedUser(address(), { password: PASSWORD });
      const { browser, moveTo } = twoDoors();
      const page = await browser.logIn(email, PASSWORD);
      let key = '';
      async function add(from: Page): Promise<Page> {
        const setUp = await browser.submit(from, '/account/totp');
        key = keyOf(setUp);
        return key === '' ? setUp : browser.submit(setUp, '/account/totp/confirm', { code: codeOf(key, -1) });
      }
      return {
        attempt: () => add(page),
        async finish() {
          moveTo(idp);
          const { totp } = await find(email);
          if (totp?.confirmedAt == null) {
            assert.equal((await createBrowser(idp).logIn(email, PASSWORD)).title, 'Your account');
            assert.equal((await add(await browser.open('/account'))).title, 'The app is set up');
          }
          const login = createBrowser(idp);
          const asked = await login.logIn(email, PASSWORD);
          assert.equal(asked.title, 'One more step');
          const entered = await login.follow(await login.submit(asked, '/login/second-factor', { code: codeOf(key) }));
          assert.equal(entered.title, 'Your account');
          // Recovery codes that were never shown are made anew.
          const shown = await login.submit(await login.open('/account/second-factor'), '/account/second-factor', {
            code: codeOf(key, 1),
          });
          assert.equal((await login.submit(shown, '/account/recovery-codes')).status, 200);
          assert.equal((await find(email)).recoveryCodes.length, 10);
          assert.ok((await told('user.totp_added', (await find(email)).id)) >= 1);
        },
      };
    });
  });

  it('a passkey that is added', async () => {
    await atEachWrite(async () => {
      const { email } = await idp.seedUser(address(), { password: PASSWORD });
      const { browser, moveTo } = twoDoors();
      await browser.logIn(email, PASSWORD);
      const authenticator = createAuthenticator(idp.issuer);
      async function add(): Promise<Page> {
        const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await browser.open('/account')).html) ?? [];
        const headers = { 'sec-fetch-site': 'same-origin' };
        const options = await browser.request('POST', '/account/passkeys/options', { json: { csrf }, headers });
        const credential = authenticator(JSON.parse(options.html).data.challenge);
        return browser.request('POST', '/account/passkeys', {
          form: { csrf, proof: '', name: '', credential },
          headers,
        });
      }
      return {
        attempt: add,
        async finish() {
          moveTo(idp);
          const { passkeys } = await find(email);
          if (passkeys.length === 0) {
            assert.equal((await createBrowser(idp).logIn(email, PASSWORD)).title, 'Your account');
            assert.equal((await add()).title, 'The passkey is added');
          }
          const user = await find(email);
          const [passkey] = user.passkeys;
          assert.equal(user.passkeys.length, 1);
          assert.equal((await idp.deps.users.findByPasskey(passkey?.credentialId ?? ''))?.id, user.id);
          assert.equal((await createBrowser(idp).logIn(email, PASSWORD)).title, 'One more step');
        },
      };
    });
  });

  async function mailed(email: string, action: '/login/link' | '/login/forgot'): Promise<string> {
    const browser = createBrowser(idp);
    const page = await browser.open(action === '/login/link' ? '/login' : action);
    assert.equal((await browser.submit(page, action, { email })).title, 'Check your e-mail');
    await idp.deps.mailQueue.idle();
    const mail = idp.mailbox.findLast(({ to }) => to === email);
    return new RegExp(`${idp.issuer}(/login/\\S+)`).exec(mail?.text ?? '')?.[1] ?? assert.fail('no mail came');
  }
  const isIn = async (browser: Browser) => (await browser.open('/account')).title === 'Your account';
  const isPassword = async (email: string, password: string) =>
    idp.deps.hasher.verify(password, (await find(email)).passwordHash);
  const livesOf = async ({ id }: UserRecord) => (await idp.deps.sessions.listOfUser(id, idp.deps.now())).length;

  it('a mailed link that signs in, also of an account that a thief made beforehand', async () => {
    for (const emailVerified of [true, false]) {
      await atEachWrite(async () => {
        const user = await idp.seedUser(address(), { password: PASSWORD, fields: { emailVerified } });
        const { email } = user;
        const thief = createBrowser(idp);
        if (!emailVerified) await thief.logIn(email, PASSWORD);
        const { browser, moveTo } = twoDoors();
        const page = await browser.open(await mailed(email, '/login/link'));
        return {
          attempt: () => browser.submit(page, '/login/magic'),
          async finish() {
            moveTo(idp);
            if (!(await isIn(browser))) await browser.submit(page, '/login/magic');
            if (!(await isIn(browser))) {
              await browser.submit(await browser.open(await mailed(email, '/login/link')), '/login/magic');
            }
            assert.ok(await isIn(browser));
            assert.equal((await find(email)).emailVerified, true);
            assert.equal(await isPassword(email, PASSWORD), emailVerified);
            if (!emailVerified) assert.equal(await isIn(thief), false);
          },
        };
      });
    }
  });

  it('a mailed link that resets the password, with a second factor and without', async () => {
    for (const withFactor of [true, false]) {
      await atEachWrite(async () => {
        const { id, email } = await idp.seedUser(address(), { password: PASSWORD });
        const thief = createBrowser(idp);
        await thief.logIn(email, PASSWORD);
        if (withFactor) {
          const totp = createTotp(idp.deps, id);
          const long = new Date(idp.deps.now().getTime() - (FACTOR_TRIAL_DAYS + 1) * DAY_MS);
          await idp.deps.users.setTotp(id, totp);
          await idp.deps.users.confirmTotp(id, totp.secret, 0, long, long);
        }
        const { browser, moveTo } = twoDoors();
        const page = await browser.open(await mailed(email, '/login/forgot'));
        const choose = (shown: Page) => browser.submit(shown, '/login/reset', { password: NEW });
        return {
          attempt: () => choose(page),
          async finish() {
            moveTo(idp);
            if (!(await isPassword(email, NEW))) await choose(page);
            if (!(await isPassword(email, NEW))) await choose(await browser.open(await mailed(email, '/login/forgot')));
            assert.deepEqual([await isPassword(email, NEW), await isPassword(email, PASSWORD)], [true, false]);
            assert.equal(await isIn(thief), false);
            assert.equal(await livesOf(await find(email)), 0);
            const entered = await createBrowser(idp).logIn(email, NEW);
            assert.equal(entered.title, withFactor ? 'One more step' : 'Your account');
          },
        };
      });
    }
  });

  it('a mailed link that confirms an address', async () => {
    await atEachWrite(async () => {
      const { email } = await idp.seedUser(address(), { password: PASSWORD, fields: { emailVerified: false } });
      const { browser, moveTo } = twoDoors();
      moveTo(idp);
      await browser.logIn(email, PASSWORD);
      async function open(): Promise<Page> {
        await browser.submit(await browser.open('/account'), '/account/confirm/send');
        await idp.deps.mailQueue.idle();
        const { text } = idp.mailbox.findLast(({ to }) => to === email) ?? assert.fail('no mail came');
        return browser.open(/\/account\/confirm\?token=\S+/.exec(text)?.[0] ?? '');
      }
      const page = await open();
      moveTo(victim);
      const confirm = (shown: Page) => browser.submit(shown, '/account/confirm');
      return {
        attempt: () => confirm(page),
        async finish() {
          moveTo(idp);
          if (!(await find(email)).emailVerified) await confirm(page);
          if (!(await find(email)).emailVerified) await confirm(await open());
          assert.equal((await find(email)).emailVerified, true);
          assert.equal(await isPassword(email, PASSWORD), true);
          assert.ok((await told('user.address_confirmed', (await find(email)).id)) >= 1);
        },
      };
    });
  });

  it('links of a client: one that signs in, and one that it was handed to set a password', async () => {
    const key = 'JBSWY3DPEHPK3PXP';
    await atEachWrite(async () => {
      const { email } = await idp.seedUser(address(), { password: PASSWORD, org: 'acme' });
      const handed = async () => (await shop.call('forgot-password', { email, sendEmail: false })).body.resetToken;
      const token = await handed();
      return {
        attempt: () => atVictim('reset-password', { token, password: NEW }),
        async finish() {
          const reset = (by: string) => shop.call('reset-password', { token: by, password: NEW });
          if (!(await isPassword(email, NEW))) await reset(token);
          if (!(await isPassword(email, NEW))) await reset(await handed());
          assert.equal((await shop.call('login', { email, password: NEW })).status, 200);
        },
      };
    });
    await atEachWrite(async () => {
      const { id, email } = await idp.seedUser(address(), { org: 'acme' });
      const totp = {
        ...createTotp(idp.deps, id),
        secret: idp.deps.cipher.seal(key, { service: `user/${id}`, key: 'totp' }),
      };
      await idp.deps.users.setTotp(id, totp);
      await idp.deps.users.confirmTotp(id, totp.secret, 0, idp.deps.now(), idp.deps.now());
      assert.equal(revealTotp(idp.deps, { id, email }, totp).secret, key);
      const { codes, hashes } = createRecoveryCodes(idp.deps);
      await idp.deps.users.update(id, { recoveryCodes: hashes });
      const link = async () => {
        await shop.call('magic-link', { email });
        await idp.deps.mailQueue.idle();
        const { text } = idp.mailbox.findLast(({ to }) => to === email) ?? assert.fail('no mail came');
        return /token=(\S+)/.exec(text)?.[1] ?? '';
      };
      const token = await link();
      return {
        attempt: () => atVictim('verify', { token, otp: codes[0] }),
        async finish() {
          const without = await shop.call('verify', { token });
          assert.notEqual(without.status, 200, 'no login without its factor');
          const again = await shop.call('verify', { token, otp: codes[1] });
          const entered =
            again.status === 200 ? again : await shop.call('verify', { token: await link(), otp: codes[2] });
          assert.equal(entered.status, 200, entered.text);
          const { amr } = JSON.parse(Buffer.from(entered.body.access_token.split('.')[1], 'base64url').toString());
          assert.ok(amr.includes('mfa'));
        },
      };
    });
  });
});
