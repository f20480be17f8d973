import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeJwt } from 'jose';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { fiftyAtOnce, type Headless, ORIGIN, PASSWORD, seedHeadless, signupBody } from './embed-fixture.ts';

let idp: TestIdp;
let acme: Headless;

before(async () => {
  idp = await startIdp({ database: 'server' });
  acme = await seedHeadless(idp, 'acme');
});
after(() => idp.stop());

test('a trusted sign-up answers tokens for the client, and the person is a plain member', async () => {
  const { status, body, headers } = await acme.call('signup', signupBody('acme', 'Grace@Example.COM'));
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual(Object.keys(body).sort(), [
    'access_token',
    'expires_in',
    'id_token',
    'refresh_token',
    'scope',
    'token_type',
    'user',
  ]);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(body.user.email, 'grace@example.com');
  assert.equal(body.user.emailVerified, true);
  const claims = decodeJwt(body.access_token);
  assert.equal(claims.aud, acme.clientId);
  assert.equal(claims.orgSlug, 'acme');
  assert.deepEqual(claims.roles, []);
  assert.deepEqual(claims.orgRoles, ['member']);
  const login = await acme.call('login', { email: 'grace@example.com', password: PASSWORD });
  assert.equal(login.status, 200);
  assert.equal(login.body.user.identityId, body.user.identityId);
});

test('roles are not accepted at sign-up, in whatever form', async () => {
  for (const roles of [[], ['admin'], 'admin', null, { $gt: '' }]) {
    const { status, body } = await acme.call('signup', { ...signupBody('acme', 'roles@example.com'), roles });
    assert.deepEqual([status, body.error.code], [400, 'ROLES_NOT_ACCEPTED']);
  }
  assert.equal(await idp.deps.users.findByEmail('roles@example.com'), null);
});

test('each of the three requirements is needed, and the answer tells neither which nor whether there is such an org', async () => {
  const flagless = await seedHeadless(idp, 'flagless', { trustedInviteSignup: false });
  const ungranted = await seedHeadless(idp, 'ungranted', {}, { grant: false });
  const platformGrant = await seedHeadless(idp, 'wants-platform');
  await idp.deps.orgGrants.approve({
    clientId: platformGrant.clientId,
    orgSlug: 'platform',
    grant: 'org:manage',
    approvedBy: 'usr_x',
    approvedAt: idp.deps.now(),
  });
  const refused = [
    await flagless.call('signup', signupBody('flagless', 'x@example.com')),
    await ungranted.call('signup', signupBody('ungranted', 'x@example.com')),
    await acme.call('signup', signupBody('flagless', 'x@example.com')),
    await acme.call('signup', signupBody('no-such-org', 'x@example.com')),
    await platformGrant.call('signup', signupBody('platform', 'x@example.com')),
    await acme.call('signup', signupBody('acme', 'x@example.com'), { ...acme.headers, origin: ORIGIN }),
    await acme.call('signup', signupBody('acme', 'x@example.com'), { 'x-client-id': acme.clientId, origin: ORIGIN }),
  ];
  for (const { status, text } of refused) {
    assert.equal(status, 403);
    assert.equal(text, refused[0]?.text);
  }
  assert.match(refused[0]?.text ?? '', /TRUSTED_SIGNUP_REFUSED/);
  assert.equal(await idp.deps.users.findByEmail('x@example.com'), null);
});

test('a grant that is older than the client belonged to another of its name', async () => {
  const stale = await seedHeadless(idp, 'stale', {}, { grant: false });
  const approvedAt = new Date(Date.now() - 60_000);
  await idp.deps.orgGrants.approve({
    clientId: stale.clientId,
    orgSlug: 'stale',
    grant: 'org:manage',
    approvedBy: 'usr_x',
    approvedAt,
  });
  const { status } = await stale.call('signup', signupBody('stale', 'y@example.com'));
  assert.equal(status, 403);
});

test('an address that is not vouched for, a bad password and an existing account are refused', async () => {
  const body = signupBody('acme', 'new@example.com');
  for (const emailVerified of [false, 'true', 1, undefined]) {
    assert.equal((await acme.call('signup', { ...body, emailVerified })).status, 400);
  }
  const weak = await acme.call('signup', { ...body, password: 'password123' });
  assert.deepEqual([weak.status, weak.body.error.code], [400, 'PASSWORD_REFUSED']);
  const persona = await acme.call('signup', { ...body, email: 'persona+x@acme.personas.invalid' });
  assert.deepEqual([persona.status, persona.body.error.code], [400, 'VALIDATION_FAILED']);
  await idp.seedUser('taken@example.com');
  const taken = await acme.call('signup', signupBody('acme', 'TAKEN@example.com'));
  assert.deepEqual([taken.status, taken.body.error.code], [409, 'USER_EXISTS']);
});

test('every field takes a string of bounded length and nothing else', async () => {
  const body = signupBody('acme', 'types@example.com');
  for (const field of Object.keys(body)) {
    for (const value of [{ $gt: '' }, ['a'], 7, true, null, 'x'.repeat(5_000)]) {
      if (field === 'emailVerified' && value === true) continue;
      const { status } = await acme.call('signup', { ...body, [field]: value });
      assert.equal(status, 400, `${field}: ${JSON.stringify(value).slice(0, 20)}`);
    }
  }
  assert.equal((await acme.call('signup', { ...body, $where: '1' })).status, 400);
  assert.equal((await acme.call('signup', [body])).status, 400);
});

test('of fifty sign-ups of one address at once, exactly one makes the account', async () => {
  const counts = await fiftyAtOnce(() => acme.call('signup', signupBody('acme', 'race@example.com')));
  assert.deepEqual(counts, { '201 ok': 1, '409 USER_EXISTS': 49 });
  const user = await idp.deps.users.findByEmail('race@example.com');
  assert.equal((await idp.deps.memberships.listOfUser(user?.id ?? '')).length, 1);
});

test('an invitation brings its role, for its own address and org only, once', async () => {
  const invite = async (email: string): Promise<string> => {
    const made = await idp.call('POST', '/api/v2/orgs/acme/invites', {
      json: { email, role: 'admin', modules: ['crm'], sendEmail: false },
      headers: idp.internal,
    });
    return new URL(made.body.data.inviteUrl).searchParams.get('token') ?? '';
  };
  const inviteToken = await invite('boss@example.com');
  const other = await acme.call('signup', { ...signupBody('acme', 'eve@example.com'), inviteToken });
  assert.deepEqual([other.status, other.body.error.code], [400, 'INVITE_INVALID']);
  const counts = await fiftyAtOnce(() =>
    acme.call('signup', { ...signupBody('acme', 'boss@example.com'), inviteToken }),
  );
  assert.equal(counts['201 ok'], 1);
  assert.equal((counts['400 INVITE_INVALID'] ?? 0) + (counts['409 USER_EXISTS'] ?? 0), 49);
  const user = await idp.deps.users.findByEmail('boss@example.com');
  assert.equal(user?.emailVerified, true);
  const [membership] = await idp.deps.memberships.listOfUser(user?.id ?? '');
  assert.deepEqual([membership?.roles, membership?.modules], [['admin'], ['crm']]);
  assert.equal(await idp.deps.users.findByEmail('eve@example.com'), null);
});
