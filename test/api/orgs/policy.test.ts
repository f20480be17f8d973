import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTotp } from '../../../api/identity/login/second-factor.ts';
import { findTokenPerson } from '../../../api/identity/tokens/token-person.ts';
import { readPassports } from '../../../api/passport/read-passports.ts';
import { accessTokenClaimsSchema } from '../../../domain/identity/claims.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';
import { claimsOf, createLogins, type Logins, type Seeded } from '../identity/oauth/logins.ts';
import { authorizePath, createBrowser } from '../identity/pages/browse.ts';
import { meanwhile } from '../identity/revocation/meanwhile.ts';

const PASSWORD = 'correct horse battery';
const HOUR_MS = 3_600_000;
const MFA = ['pwd', 'otp', 'mfa'] as const;

let idp: TestIdp;
let logins: Logins;
let cli: Seeded;
let count = 0;

before(async () => {
  idp = await startIdp({ database: 'server' });
  logins = createLogins(idp);
  const client = await idp.deps.clients.find('fairlead-cli');
  assert.ok(client);
  cli = { client, secret: '' };
});
after(() => idp.stop());

/** An org with that policy, and a member who is in a second org as well. */
async function seed(policy: Partial<{ secondFactorRequired: boolean; sessionHours: number | null }>, second = true) {
  count += 1;
  const [slug, other] = [`strict${count}`, `easy${count}`];
  await idp.seedOrg(slug, { policy: { secondFactorRequired: false, sessionHours: null, ...policy } });
  const user = await idp.seedUser(`${slug}@example.com`, { org: slug, orgRoles: ['admin'], password: PASSWORD });
  if (second) {
    const org = await idp.seedOrg(other);
    const membership = await idp.deps.memberships.find(user.id, (await idp.deps.orgs.find(slug))?.id ?? '');
    assert.ok(membership);
    await idp.deps.memberships.put({ ...membership, orgId: org.id, orgSlug: other, roles: ['member'] });
  }
  return { user, slug, other };
}

const signIn = (user: UserRecord, methods: readonly ('pwd' | 'otp' | 'mfa')[]) =>
  logins.login(cli, user, { audience: ['builder'], methods, scopes: ['openid', 'offline_access'] });
const call = (token: string | undefined, method: string, path: string, json?: unknown) =>
  idp.call(method, path, { headers: { authorization: `Bearer ${token}` }, ...(json === undefined ? {} : { json }) });

test('where a second factor is required, a login without one has no rights in the org, and all in others', async () => {
  const { user, slug, other } = await seed({ secondFactorRequired: true });
  const { tokens } = await signIn(user, ['pwd']);
  const { orgSlug, orgRoles } = claimsOf(tokens.access_token ?? '');
  assert.deepEqual([orgSlug, orgRoles], [other, ['member']]);
  const refused = await call(tokens.access_token, 'GET', `/api/v2/orgs/${slug}/invites`);
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'FORBIDDEN']);
  const list = (await call(tokens.access_token, 'GET', '/api/v2/orgs')).body.data.items;
  assert.deepEqual(
    list.map((org: { slug: string }) => org.slug),
    [other],
  );
  const strong = (await signIn(user, MFA)).tokens;
  assert.equal(claimsOf(strong.access_token ?? '').orgSlug, slug);
  assert.equal((await call(strong.access_token, 'GET', `/api/v2/orgs/${slug}/invites`)).status, 200);
  const leave = await call(tokens.access_token, 'DELETE', `/api/v2/orgs/${slug}/members/${user.id}`);
  assert.equal(leave.body.error?.code, 'CONFLICT', 'who may not act may still leave: here they are the last admin');
});

test('a policy whose change is cut off leaves no token that it does not admit', async () => {
  const { user, slug } = await seed({}, false);
  const others = await Promise.all(
    [1, 2].map((number) => idp.seedUser(`${slug}-${number}@example.com`, { org: slug, password: PASSWORD })),
  );
  const weak = await Promise.all(others.map(async (other) => (await signIn(other, ['pwd'])).tokens.access_token));
  const strong = (await signIn(user, MFA)).tokens.access_token;
  meanwhile(idp.deps, 'orgs', 'update', () => Promise.reject(new Error('killed')), 'after');
  const set = await call(strong, 'PATCH', `/api/v2/orgs/${slug}`, { policy: { secondFactorRequired: true } });
  assert.equal(set.status, 500);
  assert.equal((await idp.deps.orgs.find(slug))?.policy.secondFactorRequired, true);
  for (const token of weak) assert.equal((await call(token, 'GET', '/api/v2/me')).status, 401);
});

test('a policy that is switched on ends tokens without it, refreshing brings none, and its setter has to meet it', async () => {
  const { user, slug } = await seed({}, false);
  const weak = (await signIn(user, ['pwd'])).tokens;
  const strong = (await signIn(user, MFA)).tokens;
  const policy = { secondFactorRequired: true };
  const own = await call(weak.access_token, 'PATCH', `/api/v2/orgs/${slug}`, { policy });
  assert.deepEqual([own.status, own.body.error.code], [403, 'FORBIDDEN']);
  const set = await call(strong.access_token, 'PATCH', `/api/v2/orgs/${slug}`, { policy });
  assert.deepEqual(set.body.data.policy, { secondFactorRequired: true, sessionHours: null });
  assert.equal((await call(weak.access_token, 'GET', '/api/v2/me')).status, 401);
  idp.advance(3_000);
  assert.equal((await logins.refresh(cli, weak.refresh_token)).body.error, 'invalid_grant');
  const next = (await logins.refresh(cli, strong.refresh_token)).body.access_token;
  assert.equal((await call(next, 'GET', `/api/v2/orgs/${slug}`)).status, 200);
});

test('a part of the policy that another process set a moment ago is not undone by a change of the other part', async () => {
  const { user, slug } = await seed({}, false);
  const strong = (await signIn(user, MFA)).tokens.access_token;
  const path = `/api/v2/orgs/${slug}`;
  assert.equal((await call(strong, 'GET', path)).status, 200);
  const policy = { secondFactorRequired: true, sessionHours: null };
  await idp.db.collection('orgs').updateOne({ slug }, { $set: { policy } });
  const { body } = await call(strong, 'PATCH', path, { policy: { sessionHours: 8 } });
  assert.deepEqual(body.data.policy, { secondFactorRequired: true, sessionHours: 8 });
});

test('an org that was stored before there was a policy gets one part, and asks for nothing else', async () => {
  const { slug } = await seed({}, false);
  await idp.db.collection('orgs').updateOne({ slug }, { $unset: { policy: '' } });
  const json = { policy: { sessionHours: 8 } };
  const { body } = await idp.call('PATCH', `/api/v2/orgs/${slug}`, { headers: idp.internal, json });
  assert.deepEqual(body.data.policy, { secondFactorRequired: false, sessionHours: 8 });
});

test('a login counts in an org for its session lifetime, and no token outlives that', async () => {
  const { user, slug } = await seed({ sessionHours: 2 }, false);
  const { tokens } = await signIn(user, ['pwd']);
  idp.advance(1.5 * HOUR_MS);
  const { body } = await logins.refresh(cli, tokens.refresh_token);
  const { iat, exp } = claimsOf(body.access_token);
  assert.ok(exp - iat <= 0.5 * 3_600 + 5, `${exp - iat} s`);
  assert.equal((await call(body.access_token, 'GET', `/api/v2/orgs/${slug}`)).status, 200);
  idp.advance(0.6 * HOUR_MS);
  assert.equal((await logins.refresh(cli, body.refresh_token)).body.error, 'invalid_grant');
});

test("the policy of the platform's org binds platform roles", async () => {
  const root = await idp.seedUser('root@example.com', { platformRoles: ['super_admin'] });
  const org = await idp.deps.orgs.find('platform');
  assert.ok(org);
  await idp.deps.orgs.update(org.id, { policy: { secondFactorRequired: true, sessionHours: null } });
  const weak = (await signIn(root, ['pwd'])).tokens.access_token;
  assert.deepEqual(claimsOf(weak ?? '').roles, []);
  assert.equal((await call(weak, 'GET', '/api/v2/users')).status, 403);
  const strong = (await signIn(root, MFA)).tokens.access_token;
  assert.equal((await call(strong, 'GET', '/api/v2/users')).status, 200);
  const passportOf = async (token = '') => {
    const claims = accessTokenClaimsSchema.parse(claimsOf(token));
    return (await readPassports(idp.deps, [{ claims, connectedServices: [] }]))[0]?.userType;
  };
  assert.deepEqual([await passportOf(weak), await passportOf(strong)], ['user', 'admin'], 'of passports as well');
  await idp.deps.orgs.update(org.id, { policy: { secondFactorRequired: false, sessionHours: null } });
});

test("platform roles count nowhere while the platform's org cannot be found", async () => {
  const root = await idp.seedUser('root-of-nowhere@example.com', { platformRoles: ['super_admin'] });
  const { access_token: token = '' } = (await signIn(root, MFA)).tokens;
  const claims = accessTokenClaimsSchema.parse(claimsOf(token));
  const deps = { ...idp.deps, settings: { ...idp.deps.settings, platformOrg: 'renamed' } };
  const login = { methods: ['pwd', 'otp', 'mfa'], authenticatedAt: idp.deps.now() } as const;
  assert.deepEqual((await findTokenPerson(deps, root.id, login))?.user.platformRoles, []);
  assert.equal((await readPassports(deps, [{ claims, connectedServices: [] }]))[0]?.userType, 'user');
});

test("a policy of the platform's org ends tokens with platform roles, of people of other orgs as well", async (t) => {
  const platform = await idp.deps.orgs.find('platform');
  assert.ok(platform);
  t.after(() => idp.deps.orgs.update(platform.id, { policy: { secondFactorRequired: false, sessionHours: null } }));
  const { slug } = await seed({}, false);
  const people = await Promise.all(
    [slug, undefined].map((org) =>
      idp.seedUser(`root-of-${org}@example.com`, { platformRoles: ['super_admin'], ...(org && { org }) }),
    ),
  );
  const bystander = await idp.seedUser(`bystander-${slug}@example.com`, { org: slug });
  const weak = await Promise.all(people.map(async (user) => (await signIn(user, ['pwd'])).tokens));
  const own = (await signIn(bystander, ['pwd'])).tokens.access_token;
  for (const { access_token: token } of weak) assert.equal((await call(token, 'GET', '/api/v2/users')).status, 200);
  const json = { policy: { secondFactorRequired: true } };
  assert.equal((await idp.call('PATCH', '/api/v2/orgs/platform', { headers: idp.internal, json })).status, 200);
  for (const { access_token: token } of weak) assert.equal((await call(token, 'GET', '/api/v2/users')).status, 401);
  assert.equal((await call(own, 'GET', '/api/v2/me')).status, 200, 'whom it does not bind goes on');
  idp.advance(3_000);
  for (const { refresh_token: token } of weak) {
    const next = (await logins.refresh(cli, token)).body.access_token;
    assert.deepEqual(claimsOf(next).roles, [], 'their logins go on without the roles');
  }
});

test('somebody without a second factor is led to add one, and somebody with one to show it, before a client gets a code', async () => {
  const { user, slug } = await seed({ secondFactorRequired: true });
  const redirect = 'https://shop.example/api/auth/callback';
  await idp.seedClient(`${slug}-app`, {
    orgSlug: slug,
    redirectUris: [redirect],
    clientType: 'public',
    trustedClient: true,
  });
  const path = authorizePath({ client_id: `${slug}-app`, redirect_uri: redirect });
  const browser = createBrowser(idp);
  await browser.logIn(user.email, PASSWORD);
  const page = await browser.request('GET', path);
  assert.deepEqual([page.status, page.title], [403, 'A second factor is needed']);
  const totp = createTotp(idp.deps, user.id);
  await idp.deps.users.setTotp(user.id, totp);
  await idp.deps.users.confirmTotp(user.id, totp.secret, 0, idp.deps.now(), idp.deps.now());
  assert.match((await browser.request('GET', path)).location ?? '', /^\/login\?reauth=1/);
  const silent = await browser.request('GET', `${path}&prompt=none`);
  assert.match(silent.location ?? '', /error=login_required/);
  await idp.seedClient(`${slug}-elsewhere`, { redirectUris: [redirect], clientType: 'public', trustedClient: true });
  const elsewhere = authorizePath({ client_id: `${slug}-elsewhere`, redirect_uri: redirect });
  assert.match((await browser.request('GET', elsewhere)).location ?? '', /[?&]code=/);
});
