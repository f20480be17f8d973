import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { type Callers, createCallers, outcome, type Person } from '../../orgs/callers.ts';
import { claimsOf, createLogins } from '../oauth/logins.ts';
import { meanwhile } from '../revocation/meanwhile.ts';

let idp: TestIdp;
let callers: Callers;
let root: Person;
let ada: Person;

before(async () => {
  idp = await startIdp({ database: 'server' });
  callers = createCallers(idp);
  await idp.seedOrg('acme', { modules: ['crm'] });
  root = await callers.person({ org: 'platform', roles: ['viewer'], platformRoles: ['super_admin'] });
  ada = await callers.person({ org: 'acme', roles: ['admin'], email: 'ada@example.com' });
});
after(() => idp.stop());

test('people see themselves and their orgs, and nothing secret', async () => {
  const { status, body } = await ada.call('GET', '/api/v2/me');
  assert.equal(status, 200);
  assert.equal(body.data.email, 'ada@example.com');
  assert.deepEqual(
    body.data.orgs.map(({ orgSlug, roles }: { orgSlug: string; roles: string[] }) => [orgSlug, roles]),
    [['acme', ['admin']]],
  );
  assert.doesNotMatch(JSON.stringify(body), /hash|sealed|publicKey/i);
  assert.equal(outcome(await idp.call('GET', '/api/v2/me')), '401 UNAUTHORIZED');
  assert.equal(outcome(await callers.platform('GET', '/api/v2/me')), '403 FORBIDDEN');
});

test('somebody in two orgs chooses which one their tokens name, and no org they are not in', async () => {
  await idp.seedOrg('second');
  await idp.seedOrg('third');
  const user = await callers.person({ org: 'acme', roles: ['viewer'] });
  const member = { json: { roles: ['member'] }, headers: idp.internal };
  assert.equal((await idp.call('PUT', `/api/v2/orgs/second/members/${user.id}`, member)).status, 200);
  const chosen = await user.call('PATCH', '/api/v2/me', { primaryOrg: 'second' });
  assert.deepEqual([chosen.status, chosen.body.data.primaryOrg], [200, 'second']);
  const again = await callers.signIn(user.id);
  const { orgSlug, orgRoles } = claimsOf(again.headers.authorization?.replace('Bearer ', '') ?? '');
  assert.deepEqual([orgSlug, orgRoles], ['second', ['member']]);
  const { items } = await idp.deps.audit.list({ subject: user.id }, { cursor: null, limit: 5 });
  assert.ok(items.some(({ type, orgSlug: org }) => type === 'user.org_chosen' && org === 'second'));

  for (const primaryOrg of ['third', 'nowhere']) {
    assert.equal(outcome(await user.call('PATCH', '/api/v2/me', { primaryOrg })), '404 ORG_NOT_FOUND', primaryOrg);
  }
  assert.equal(outcome(await user.call('PATCH', '/api/v2/me', { email: 'x@y.example' })), '400 VALIDATION_FAILED');
  await callers.platform('POST', `/api/v2/orgs/acme/members/${user.id}/suspend`);
  // Tokens of the second in which a right was taken are void.
  idp.advance(1_000);
  const later = await callers.signIn(user.id);
  const suspended = await later.call('PATCH', '/api/v2/me', { primaryOrg: 'acme' });
  assert.equal(outcome(suspended), '404 ORG_NOT_FOUND', 'a suspended membership is none');
  assert.equal((await idp.deps.users.find(user.id))?.primaryOrg, 'second');
  assert.equal(outcome(await callers.platform('PATCH', '/api/v2/me', { primaryOrg: 'acme' })), '403 FORBIDDEN');
});

test('the sessions of a person are theirs to see and end', async () => {
  const user = await idp.deps.users.find(ada.id);
  assert.ok(user);
  const session = await createLogins(idp).seedSession(user);
  const list = async (person: Person) =>
    (await person.call('GET', '/api/v2/me/sessions')).body.data.items.map(({ id }: { id: string }) => id);
  assert.ok((await list(ada)).includes(session.id));
  assert.ok(!(await list(root)).includes(session.id));
  const path = `/api/v2/me/sessions/${session.id}`;
  assert.equal(outcome(await root.call('DELETE', path)), '404 NOT_FOUND');
  assert.equal((await ada.call('DELETE', path)).status, 200);
  assert.ok(!(await list(ada)).includes(session.id));
  assert.equal(outcome(await ada.call('DELETE', '/api/v2/me/sessions/ses_none')), '404 NOT_FOUND');
});

test('only the platform lists people and changes them', async () => {
  for (const [method, path, json] of [
    ['GET', '/api/v2/users', undefined],
    ['GET', `/api/v2/users/${root.id}`, undefined],
    ['PATCH', `/api/v2/users/${ada.id}`, { firstName: 'Eve' }],
    ['POST', `/api/v2/users/${root.id}/suspend`, {}],
  ] as const) {
    assert.equal(outcome(await ada.call(method, path, json)), '403 FORBIDDEN');
    assert.equal(outcome(await idp.call(method, path, { json })), '401 UNAUTHORIZED');
  }
  const found = await root.call('GET', '/api/v2/users?query=ADA@');
  assert.deepEqual(
    found.body.data.items.map(({ email }: { email: string }) => email),
    ['ada@example.com'],
  );
  assert.equal((await root.call('GET', `/api/v2/users/${ada.id}`)).body.data.id, ada.id);
  assert.equal(outcome(await root.call('GET', '/api/v2/users/usr_none')), '404 USER_NOT_FOUND');
  const named = await callers.platform('PATCH', `/api/v2/users/${ada.id}`, { firstName: ' Augusta ' });
  assert.equal(named.body.data.firstName, 'Augusta');
  for (const body of [
    { firstName: { $set: 'x' } },
    { firstName: 'a\nb' },
    { firstName: 'see https://evil.example' },
    { firstName: 'x'.repeat(81) },
    { email: 'other@example.com' },
    { passwordHash: 'x' },
    { platformRoles: 'super_admin' },
    { platformRoles: ['admin'] },
  ]) {
    assert.equal((await root.call('PATCH', `/api/v2/users/${ada.id}`, body)).status, 400, JSON.stringify(body));
  }
});

test('platform roles are given by a super admin in person, and a role that is taken away ends its tokens', async () => {
  const path = `/api/v2/users/${ada.id}`;
  const byKey = await callers.platform('PATCH', path, { platformRoles: ['super_admin'] });
  assert.equal(outcome(byKey), '403 ROLE_ESCALATION');
  const given = await root.call('PATCH', path, { platformRoles: ['devops', 'super_admin', 'devops'] });
  assert.deepEqual(given.body.data.platformRoles, ['super_admin', 'devops']);
  idp.advance(2_000);
  const second = await callers.signIn(ada.id);
  assert.equal((await second.call('GET', '/api/v2/users')).status, 200);
  assert.equal((await root.call('PATCH', path, { platformRoles: [] })).status, 200);
  assert.equal(outcome(await second.call('GET', '/api/v2/users')), '401 UNAUTHORIZED');
  idp.advance(2_000);
  ada = { ...ada, ...(await callers.signIn(ada.id)) };
  assert.equal(outcome(await ada.call('GET', '/api/v2/users')), '403 FORBIDDEN');
});

test('of two changes of platform roles at once one is refused: none is lost, and no role comes back', async () => {
  const person = await callers.person({ platformRoles: ['developer', 'devops'] });
  const path = `/api/v2/users/${person.id}`;
  const stored = async () => (await idp.deps.users.find(person.id))?.platformRoles;
  // The one takes a role between the other's read and write.
  meanwhile(idp.deps, 'users', 'update', async () => {
    assert.equal((await root.call('PATCH', path, { platformRoles: ['developer'] })).status, 200);
  });
  const late = await root.call('PATCH', path, { platformRoles: ['super_admin', 'developer', 'devops'] });
  assert.equal(outcome(late), '409 CONFLICT');
  assert.deepEqual(await stored(), ['developer']);
  // What was read before that is no longer there to be changed.
  const before = { platformRoles: ['developer', 'devops'] };
  const stale = await root.call('PATCH', path, { platformRoles: ['devops'], firstName: 'Grace', before });
  assert.equal(outcome(stale), '409 CONFLICT');
  const fresh = await root.call('PATCH', path, { platformRoles: ['devops'], before: { platformRoles: ['developer'] } });
  assert.deepEqual([fresh.status, await stored()], [200, ['devops']]);
});

test('of changes of platform roles that race, what is stored is what the last one that was answered well wrote', async () => {
  const person = await callers.person({ platformRoles: [] });
  const path = `/api/v2/users/${person.id}`;
  const wanted = [['developer'], ['devops'], ['developer', 'devops'], []];
  for (let round = 0; round < 5; round += 1) {
    const before = { platformRoles: (await idp.deps.users.find(person.id))?.platformRoles };
    const changes = wanted.filter((roles) => roles.join() !== before.platformRoles?.join());
    const answers = await Promise.all(
      changes.map((platformRoles) => root.call('PATCH', path, { platformRoles, before })),
    );
    const won = changes.filter((_, index) => answers[index]?.status === 200);
    assert.equal(won.length, 1, answers.map(outcome).join());
    assert.deepEqual((await idp.deps.users.find(person.id))?.platformRoles, won[0]);
  }
});

test('a platform role that is taken away by a change which is cut off leaves no token that names it', async () => {
  const person = await callers.person({ platformRoles: ['super_admin'] });
  const path = `/api/v2/users/${person.id}`;
  meanwhile(idp.deps, 'users', 'update', () => Promise.reject(new Error('killed')), 'after');
  assert.equal((await root.call('PATCH', path, { platformRoles: [] })).status, 500);
  assert.equal((await root.call('PATCH', path, { platformRoles: [] })).status, 200, 'the repetition');
  assert.equal(outcome(await person.call('GET', '/api/v2/me')), '401 UNAUTHORIZED');
  const { items } = await idp.deps.audit.list({ subject: person.id, type: 'user.changed' }, { cursor: null, limit: 5 });
  assert.ok(items.some(({ data }) => String(data.platformRolesBefore) === 'super_admin'));
});

test('suspending a person ends every session, login and link of theirs; restoring brings none of it back', async () => {
  const person = await callers.person({ org: 'acme', email: 'leaving@example.com' });
  const user = await idp.deps.users.find(person.id);
  assert.ok(user);
  const session = await createLogins(idp).seedSession(user);
  const suspended = await callers.platform('POST', `/api/v2/users/${person.id}/suspend`);
  assert.notEqual(suspended.body.data.suspendedAt, null);
  assert.equal(outcome(await person.call('GET', '/api/v2/me')), '401 UNAUTHORIZED');
  assert.notEqual((await idp.deps.sessions.find(session.id))?.revokedAt, null);
  assert.deepEqual(await idp.deps.grants.listOfUser(person.id, idp.deps.now()), []);
  const restored = await callers.platform('POST', `/api/v2/users/${person.id}/restore`);
  assert.equal(restored.body.data.suspendedAt, null);
  assert.equal(outcome(await person.call('GET', '/api/v2/me')), '401 UNAUTHORIZED');
  idp.advance(2_000);
  assert.equal((await (await callers.signIn(person.id)).call('GET', '/api/v2/me')).status, 200);
});

test('the platform keeps a super admin, whoever removes whom at the same time', async () => {
  const path = `/api/v2/users/${root.id}`;
  assert.equal(outcome(await root.call('PATCH', path, { platformRoles: [] })), '409 CONFLICT');
  assert.equal(outcome(await callers.platform('POST', `${path}/suspend`)), '409 CONFLICT');
  for (let round = 0; round < 5; round += 1) {
    const other = await callers.person({ platformRoles: ['super_admin'] });
    const [rootNow, otherNow] = [await callers.signIn(root.id), await callers.signIn(other.id)];
    await Promise.all([
      rootNow.call('PATCH', `/api/v2/users/${other.id}`, { platformRoles: [] }),
      otherNow.call('POST', `/api/v2/users/${root.id}/suspend`),
    ]);
    assert.ok((await idp.deps.users.countWithPlatformRole('super_admin')) >= 1);
    await idp.deps.users.update(root.id, { platformRoles: ['super_admin'], suspendedAt: null });
    await idp.deps.users.update(other.id, { platformRoles: [] });
    idp.advance(2_000);
  }
});
