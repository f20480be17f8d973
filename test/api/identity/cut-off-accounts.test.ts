import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bootstrapIdentity } from '../../../api/identity/bootstrap.ts';
import { dyingAt } from '../../support/dying-at.ts';
import { type Answer, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { type Headless, PASSWORD, seedHeadless, signupBody } from './embed/embed-fixture.ts';
import { createBrowser, type Page } from './pages/browse.ts';

const PERSON = { firstName: 'Grace', lastName: 'Hopper', password: PASSWORD };

describe('an account that was cut off by a kill is finished by the repeated request', () => {
  let idp: TestIdp;
  let shop: Headless;
  before(async () => {
    idp = await startIdp({ database: 'server' });
    shop = await seedHeadless(idp, 'acme');
  });
  after(() => idp.stop());

  /** Does it with a provider that is killed at that write or read, and with the one that is started after it. */
  async function killedAt<T>(call: number, work: () => Promise<T>): Promise<T> {
    const { users, memberships, invites, audit } = idp.deps;
    Object.assign(idp.deps, dyingAt(call, { users, memberships, invites, audit }));
    try {
      return await work();
    } finally {
      Object.assign(idp.deps, { users, memberships, invites, audit });
    }
  }
  /** Who it is, when nothing is missing: a member of the org, and no half any more. */
  async function wholeMember(email: string, orgSlug = 'acme') {
    const user = await idp.deps.users.findByEmail(email);
    const memberships = user === null ? [] : await idp.deps.memberships.listOfUser(user.id);
    const isMember = memberships.length === 1 && memberships[0]?.orgSlug === orgSlug;
    return user !== null && isMember && user.primaryOrg === orgSlug && user.onboardingPending === null ? user : null;
  }
  const signsIn = async (email: string) => (await createBrowser(idp).logIn(email, PASSWORD)).title === 'Your account';

  it('by trusted sign-up, wherever it was cut off', async () => {
    let kills = 0;
    for (let first = 0; first !== 201; kills += 1) {
      const body = signupBody('acme', `signup-${kills}@example.com`);
      const email = String(body.email);
      first = (await killedAt(kills + 1, () => shop.call('signup', body))).status;
      const whole = await wholeMember(email);
      if (first === 201) continue;
      const { status, text } = await shop.call('signup', body);
      assert.equal(status, whole === null ? 201 : 409, `killed at call ${kills + 1}: ${text}`);
      const member = await wholeMember(email);
      assert.deepEqual([member?.emailVerified, member?.firstName], [true, 'Grace'], `${kills + 1}`);
      assert.ok(await signsIn(email));
    }
    assert.ok(kills > 5, `${kills}`);
  });

  it('by the page of an invitation', async () => {
    const invite = async (email: string) => {
      const json = { email, role: 'viewer', sendEmail: false };
      const { body } = await idp.call('POST', '/api/v2/orgs/acme/invites', { headers: idp.internal, json });
      return new URL(body.data.inviteUrl);
    };
    let kills = 0;
    for (let first = 0; first !== 303; kills += 1) {
      const email = `invited-${kills}@example.com`;
      const { pathname, search } = await invite(email);
      const browser = createBrowser(idp);
      const page = await browser.open(pathname + search);
      const accept = (shown: Page) => browser.submit(shown, '/invites/accept', PERSON);
      first = (await killedAt(kills + 1, () => accept(page))).status;
      const whole = await wholeMember(email);
      if (first === 303) continue;
      if (whole === null) {
        const again = await accept(await browser.open(pathname + search));
        assert.equal(again.status, 303, `killed at call ${kills + 1}: ${again.html}`);
      }
      assert.ok((await wholeMember(email)) !== null, `${kills + 1}`);
      assert.ok(await signsIn(email), `${kills + 1}`);
    }
    assert.ok(kills > 5, `${kills}`);
  });

  it('by an invitation that somebody with an account accepts', async () => {
    const side = await idp.seedOrg('side');
    let kills = 0;
    for (let first = 0; first !== 303; kills += 1) {
      const user = await idp.seedUser(`known-${kills}@example.com`, { password: PASSWORD, org: 'acme' });
      const json = { email: user.email, role: 'viewer', sendEmail: false };
      const { body } = await idp.call('POST', '/api/v2/orgs/side/invites', { headers: idp.internal, json });
      const { pathname, search } = new URL(body.data.inviteUrl);
      const browser = createBrowser(idp);
      await browser.logIn(user.email, PASSWORD);
      const page = await browser.open(pathname + search);
      first = (await killedAt(kills + 1, () => browser.submit(page, '/invites/accept'))).status;
      if (first !== 303) await browser.submit(page, '/invites/accept');
      assert.notEqual(await idp.deps.memberships.find(user.id, side.id), null, `killed at call ${kills + 1}`);
      // Who was let in and taken out again does not come back by the same link.
      await idp.deps.memberships.remove(user.id, side.id);
      await browser.submit(page, '/invites/accept');
      assert.equal(await idp.deps.memberships.find(user.id, side.id), null);
    }
    assert.ok(kills > 4, `${kills}`);
  });

  it('by provisioning', async () => {
    const { secret } = await idp.seedClient('crm-prod', { orgSlug: 'acme', service: 'crm', environment: 'prod' });
    const form = {
      grant_type: 'client_credentials',
      client_id: 'crm-prod',
      client_secret: secret,
      audience: 'builder',
    };
    const { body } = await idp.call('POST', '/api/oauth/token', { form });
    const headers = { authorization: `Bearer ${body.access_token}` };
    const provision = (email: string): Promise<Answer> =>
      idp.call('POST', '/api/v2/orgs/acme/users', { headers, json: { email, firstName: 'Lin', lastName: 'Clark' } });
    let kills = 0;
    for (let first = 0; first !== 201; kills += 1) {
      const email = `provisioned-${kills}@example.com`;
      first = (await killedAt(kills + 1, () => provision(email))).status;
      if (first !== 201) assert.equal((await provision(email)).status, 201, `killed at call ${kills + 1}`);
      assert.equal((await provision(email)).body.error.code, 'USER_EXISTS', 'it is whole now');
      const body = { email, orgSlug: 'acme', password: PASSWORD };
      assert.equal((await shop.call('set-initial-password', body)).status, 200);
      assert.ok((await wholeMember(email)) !== null);
    }
    assert.ok(kills > 3, `${kills}`);
  });

  it('by the link of the first admin, with the one that the next start opens', async (t) => {
    const other = await startIdp({ database: 'server' });
    t.after(() => other.stop());
    const email = 'root@example.com';
    const start = async (): Promise<string | null> => {
      let link: string | null = null;
      await bootstrapIdentity(other.deps, {
        onFirstAdminLink: async ({ url }) => {
          link = url;
        },
      });
      return link;
    };
    const complete = async (url: string | null) => {
      const browser = createBrowser(other);
      const { pathname, search } = new URL(url ?? assert.fail('no link was opened'));
      const page = await browser.open(pathname + search);
      return (await browser.submit(page, '/welcome', { ...PERSON, email })).status;
    };
    let kills = 0;
    for (let first = 0; first !== 303; kills += 1) {
      await other.db.collection('users').deleteMany({});
      await other.db.collection('memberships').deleteMany({});
      const link = await start();
      const { users, memberships, audit } = other.deps;
      Object.assign(other.deps, dyingAt(kills + 1, { users, memberships, audit }));
      first = await complete(link);
      Object.assign(other.deps, { users, memberships, audit });
      // The gate of a process that was killed opens after a minute.
      other.advance(61_000);
      const next = await start();
      if (next !== null) assert.equal(await complete(next), 303, `killed at call ${kills + 1}`);
      const root = await other.deps.users.findByEmail(email);
      const [membership] = await other.deps.memberships.listOfUser(root?.id ?? '');
      assert.deepEqual([root?.platformRoles, membership?.roles], [['super_admin'], ['admin']], `${kills + 1}`);
      assert.equal((await createBrowser(other).logIn(email, PASSWORD)).title, 'Your account');
    }
    assert.ok(kills > 4, `${kills}`);
  });
});
