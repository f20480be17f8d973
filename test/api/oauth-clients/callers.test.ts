import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';
import { createLogins } from '../identity/oauth/logins.ts';
import { createBrowser } from '../identity/pages/browse.ts';

const PASSWORD = 'correct horse battery staple';
const ADMIN_ROUTE = '/api/admin/oauth-clients/shop';
const INTERNAL_ROUTE = '/api/internal/oauth-clients/shop';

/** Who may administer clients at the identity provider, by real logins (spec 1, C and D 4). */
describe('callers of the provider’s routes for clients', () => {
  let idp: TestIdp;
  let logins: ReturnType<typeof createLogins>;
  before(async () => {
    idp = await startIdp();
    logins = createLogins(idp);
    await idp.seedOrg('acme');
    await idp.seedClient('shop', { orgSlug: 'acme' });
  });
  after(() => idp.stop());

  const isTrusted = async () => (await idp.deps.clients.find('shop'))?.trustedInviteSignup;

  /** A browser in which that person is signed in. */
  async function browserOf(email: string, given: Parameters<TestIdp['seedUser']>[1]) {
    const user = await idp.seedUser(email, { password: PASSWORD, ...given });
    const browser = createBrowser(idp);
    await browser.logIn(email, PASSWORD);
    const patch = (path: string, json: unknown, headers: Record<string, string> = { origin: idp.issuer }) =>
      browser.request('PATCH', path, { json, headers });
    return { user, patch };
  }

  /** The bearer header of a token for the platform's API. */
  async function tokenOf(given: Parameters<typeof logins.person>[0]) {
    const client = await idp.deps.clients.find('fairlead-cli');
    assert.ok(client);
    const { tokens } = await logins.login({ client, secret: '' }, await logins.person(given), {
      audience: ['builder'],
    });
    return { authorization: `Bearer ${tokens.access_token}` };
  }

  it('a super admin in their own session switches trusted invite sign-up, and the audit trail has it', async () => {
    const { user, patch } = await browserOf('root@example.com', { platformRoles: ['super_admin'] });
    for (const trustedInviteSignup of [true, false]) {
      assert.equal((await patch(ADMIN_ROUTE, { trustedInviteSignup })).status, 200);
      assert.equal(await isTrusted(), trustedInviteSignup);
    }
    const { items } = await idp.deps.audit.list({ subject: 'shop' }, { cursor: null, limit: 1 });
    assert.equal(items[0]?.actor, user.id);
    assert.deepEqual(items[0]?.data.fields, ['trustedInviteSignup']);
    assert.equal((await patch(ADMIN_ROUTE, { trustedInviteSignup: true, name: 'x' })).status, 400);
    assert.equal((await patch('/api/admin/oauth-clients/nobody', { trustedInviteSignup: true })).status, 404);
  });

  it('a page of another site cannot have a super admin’s browser do it', async () => {
    const { patch } = await browserOf('root2@example.com', { platformRoles: ['super_admin'] });
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, {}] as Record<string, string>[]) {
      assert.equal((await patch(ADMIN_ROUTE, { trustedInviteSignup: true }, headers)).status, 401);
    }
    assert.equal(await isTrusted(), false);
  });

  it('nobody else can: no other session, no token, no service, no key, through neither route', async () => {
    const member = await browserOf('member@example.com', { org: 'acme', orgRoles: ['admin'] });
    assert.equal((await member.patch(ADMIN_ROUTE, { trustedInviteSignup: true })).status, 403);
    const service = await logins.client({ orgSlug: 'platform', allowedScopes: ['x:y'] });
    const own = await logins.token(service, { grant_type: 'client_credentials', resource: idp.issuer });
    const callers = [
      idp.internal,
      await tokenOf({ platformRoles: ['super_admin'] }),
      { authorization: `Bearer ${own.body.access_token}` },
    ];
    for (const headers of callers) {
      for (const path of [ADMIN_ROUTE, INTERNAL_ROUTE]) {
        const { status } = await idp.call('PATCH', path, { json: { trustedInviteSignup: true }, headers });
        assert.equal(status, 403, path);
      }
    }
    const root = await browserOf('root3@example.com', { platformRoles: ['super_admin'] });
    assert.equal((await root.patch(INTERNAL_ROUTE, { trustedInviteSignup: true })).status, 403);
    assert.equal(await isTrusted(), false);
  });

  it('super admins administer by token, members and services of whatever org do not', async () => {
    const superAdmin = await tokenOf({ platformRoles: ['super_admin'] });
    assert.equal((await idp.call('GET', INTERNAL_ROUTE, { headers: superAdmin })).status, 200);
    const named = { ...superAdmin, 'x-acting-for': 'usr_somebody_else' };
    const changed = await idp.call('PATCH', INTERNAL_ROUTE, { json: { name: 'Shop' }, headers: named });
    assert.equal(changed.status, 200);
    const { items } = await idp.deps.audit.list({ subject: 'shop' }, { cursor: null, limit: 1 });
    assert.notEqual(items[0]?.actor, 'usr_somebody_else', 'only the builder may name another');
    const refused = [await tokenOf({ org: 'acme', orgRoles: ['admin'] })];
    for (const orgSlug of ['acme', 'platform']) {
      const of = await logins.client({ orgSlug, allowedScopes: ['x:y'] });
      const { body } = await logins.token(of, { grant_type: 'client_credentials', resource: idp.issuer });
      refused.push({ authorization: `Bearer ${body.access_token}` });
    }
    for (const headers of refused) {
      for (const [method, path] of [
        ['GET', INTERNAL_ROUTE],
        ['GET', '/api/internal/oauth-clients'],
        ['PATCH', INTERNAL_ROUTE],
        ['DELETE', INTERNAL_ROUTE],
        ['POST', `${INTERNAL_ROUTE}/secrets`],
        ['POST', `${INTERNAL_ROUTE}/regenerate-secret`],
      ] as const) {
        const json = method === 'PATCH' ? { json: { name: 'x' } } : {};
        assert.equal((await idp.call(method, path, { ...json, headers })).status, 403, `${method} ${path}`);
      }
    }
    assert.equal((await idp.deps.clients.find('shop'))?.name, 'Shop');
  });
});
