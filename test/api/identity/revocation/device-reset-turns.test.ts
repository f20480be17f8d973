import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import { isPlayed } from '../../../support/is-played.ts';
import { type Answer, startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { type Headless, seedHeadless } from '../embed/embed-fixture.ts';
import { createLogins, type Logins, type Seeded } from '../oauth/logins.ts';
import { type Browser, createBrowser, type Page } from '../pages/browse.ts';
import { takeTurns } from './take-turns.ts';

const OLD = 'the password of the thief';
const NEW = 'a sentence that is only mine';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** Of 100 that a reset makes: every tenth is where a device stops for it, and the reset for the device. */
const STRIDE = 10;

/** How far the thief is with a device when the owner begins the reset; what is left is done at the same time. */
type Begun = 'approved' | 'typed' | 'nothing';

interface Theft {
  readonly user: UserRecord;
  readonly reset: () => Promise<void>;
  readonly device: () => Promise<void>;
  /** That whatever the thief has got is dead. */
  readonly assertEnded: () => Promise<void>;
}

describe('a reset of the password ends a login by device code, at whatever step it is', () => {
  let idp: TestIdp;
  let logins: Logins;
  let shop: Headless;
  let tool: Seeded;
  let people = 0;
  before(async () => {
    idp = await startIdp({ trustedProxies: ['127.0.0.1', '::1'] });
    logins = createLogins(idp);
    shop = await seedHeadless(idp, 'acme');
    tool = await logins.client({
      clientType: 'public',
      allowedGrantTypes: [DEVICE_GRANT, 'refresh_token'],
      allowedScopes: ['openid', 'offline_access'],
    });
  });
  after(() => idp.stop());

  async function theft(begun: Begun, scope: string): Promise<Theft> {
    people += 1;
    const user = await idp.seedUser(`owner-${people}@example.com`, { password: OLD, org: 'acme' });
    const link = await shop.call('forgot-password', { email: user.email, sendEmail: false });
    const form = { ...logins.credentials(tool), scope };
    // Of an address of their own: attempts of one are limited.
    const headers = { 'x-forwarded-for': `198.51.${Math.floor(people / 250)}.${(people % 250) + 1}` };
    const call: TestIdp['call'] = (method, path, options) =>
      idp.call(method, path, { ...options, headers: { ...options?.headers, ...headers } });
    const thief = createBrowser({ issuer: idp.issuer, call });
    const { body: flow } = await call('POST', '/api/oauth/device_authorization', { form });
    const poll = () => logins.token(tool, { grant_type: DEVICE_GRANT, device_code: flow.device_code });
    const confirmed = begun === 'nothing' ? null : await typeCode(thief, user, flow.user_code);
    if (begun !== 'nothing') assert.ok(confirmed);
    if (begun === 'approved' && confirmed !== null) await approve(thief, confirmed);
    let polled: Answer | null = null;
    return {
      user,
      async reset() {
        const { status, text } = await shop.call('reset-password', { token: link.body.resetToken, password: NEW });
        assert.equal(status, 200, text);
      },
      async device() {
        const page = begun === 'nothing' ? await typeCode(thief, user, flow.user_code) : confirmed;
        if (begun !== 'approved' && page !== null) await approve(thief, page);
        polled = await poll();
      },
      async assertEnded() {
        if (polled?.status === 200) {
          const { access_token, refresh_token } = polled.body;
          assert.equal(await isAlive(access_token), false, 'the access token');
          assert.equal((await logins.refresh(tool, refresh_token)).status, 400, 'the refresh token');
        }
        idp.advance(60_000);
        assert.notEqual((await poll()).status, 200, 'another poll');
        assert.equal((await thief.open('/account')).title, 'Sign in');
        assert.equal((await idp.deps.grants.listOfUser(user.id, idp.deps.now())).length, 0);
      },
    };
  }

  /** Signs in by the old password and types the code; null when the reset was faster. */
  async function typeCode(thief: Browser, user: UserRecord, userCode: string): Promise<Page | null> {
    await thief.logIn(user.email, OLD);
    const page = await thief.open('/oauth/device');
    if (page.title !== 'Connect a device') return null;
    const confirm = await thief.submit(page, '/oauth/device', { user_code: userCode });
    return confirm.title.startsWith('Connect') && confirm.html.includes('decision') ? confirm : null;
  }

  async function approve(thief: Browser, page: Page): Promise<void> {
    await thief.submit(page, '/oauth/device/decision', { decision: 'allow' });
  }

  const isAlive = async (token: string): Promise<boolean> => {
    const claims = await idp.deps.signer.verifyOwn(token);
    return !(await idp.deps.revocations.isRevoked(claims));
  };

  async function played(begun: Begun, at: { first: number; second?: number }, firstIs: 'reset' | 'device') {
    const { reset, device, assertEnded, user } = await theft(
      begun,
      people % 2 === 0 ? 'openid offline_access' : 'openid',
    );
    const turns = firstIs === 'reset' ? ([reset, device] as const) : ([device, reset] as const);
    const made = await takeTurns(idp.deps, at, turns);
    await assertEnded();
    assert.equal((await shop.call('login', { email: user.email, password: NEW })).status, 200);
    return made;
  }

  it('which is good without a reset', async () => {
    for (const begun of ['approved', 'typed', 'nothing'] as const) {
      const { device, assertEnded } = await theft(begun, 'openid');
      await device();
      await assert.rejects(assertEnded(), /the access token/, begun);
    }
  });

  for (const begun of ['approved', 'typed', 'nothing'] as const) {
    for (const firstIs of ['device', 'reset'] as const) {
      it(`${begun} before it: the ${firstIs} stops at each call for the other`, async () => {
        let first = 0;
        for (let made = first; made === first; ) {
          first += 1;
          made = isPlayed(first) ? await played(begun, { first }, firstIs) : first;
        }
        assert.ok(first > 10, `${first} calls`);
      });
    }
  }

  it('approved before it: they stop for each other', async () => {
    for (let first = 1; first <= 60; first += STRIDE) {
      for (let second = 1; second <= 60; second += STRIDE) {
        if (isPlayed(first / STRIDE + second)) await played('approved', { first, second }, 'device');
      }
    }
  });
});
