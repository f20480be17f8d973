import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';
import { meanwhile } from '../identity/revocation/meanwhile.ts';
import { type Callers, createCallers, outcome, type Person } from './callers.ts';

let idp: TestIdp;
let callers: Callers;
let admin: Person;
let member: Person;
let root: Person;

before(async () => {
  idp = await startIdp({ database: 'server' });
  callers = createCallers(idp);
  await idp.seedOrg('acme', { modules: ['crm', 'mail'] });
  await idp.seedOrg('rival');
  admin = await callers.person({ org: 'acme', roles: ['admin'] });
  member = await callers.person({ org: 'acme', roles: ['member'] });
  root = await callers.person({ platformRoles: ['super_admin'] });
});
after(() => idp.stop());

const pathOf = (person: Pick<Person, 'id'>, org = 'acme') => `/api/v2/orgs/${org}/members/${person.id}`;

test('members see each other, and nothing that would help to be one another', async () => {
  const { status, body } = await member.call('GET', '/api/v2/orgs/acme/members');
  assert.equal(status, 200);
  const ids = body.data.items.map(({ userId }: { userId: string }) => userId);
  assert.deepEqual(ids.toSorted(), [admin.id, member.id].toSorted());
  assert.doesNotMatch(JSON.stringify(body), /password|totp|passkey|recovery/i);
  const viewer = await callers.person({ org: 'acme', roles: ['viewer'] });
  assert.equal(outcome(await viewer.call('GET', '/api/v2/orgs/acme/members')), '403 FORBIDDEN');
  const stranger = await callers.person({ org: 'rival', roles: ['admin'] });
  assert.equal(outcome(await stranger.call('GET', '/api/v2/orgs/acme/members')), '404 ORG_NOT_FOUND');
  assert.equal(outcome(await admin.call('GET', pathOf(stranger))), '404 USER_NOT_FOUND');
});

test('members are found by their ids, of this org alone, and by no more ids than one request may name', async () => {
  const stranger = await callers.person({ org: 'rival' });
  const found = async (ids: string) => (await member.call('GET', `/api/v2/orgs/acme/members?ids=${ids}`)).body;
  const { data } = await found([admin.id, stranger.id, 'usr_nobody', admin.id].join(','));
  assert.deepEqual(
    data.items.map(({ userId }: { userId: string }) => userId),
    [admin.id],
  );
  assert.equal(data.nextCursor, null);
  const many = Array.from({ length: 101 }, (_, index) => `usr_${index}`);
  for (const ids of ['', ',', `${admin.id},`, many.join(',')]) {
    assert.equal((await found(ids)).error?.code, 'VALIDATION_FAILED', ids.slice(0, 20));
  }
  assert.deepEqual((await found(many.slice(1).join(','))).data.items, []);
  const viewer = await callers.person({ org: 'acme', roles: ['viewer'] });
  assert.equal(outcome(await viewer.call('GET', `/api/v2/orgs/acme/members?ids=${admin.id}`)), '403 FORBIDDEN');
});

test('admins change roles and modules; platform roles are no org roles', async () => {
  const person = await callers.person({ org: 'acme', roles: ['member'] });
  const changed = await admin.call('PUT', pathOf(person), { roles: ['viewer', 'member', 'viewer'], modules: ['crm'] });
  assert.deepEqual([changed.body.data.roles, changed.body.data.modules], [['viewer', 'member'], ['crm']]);
  assert.equal(outcome(await member.call('PUT', pathOf(person), { roles: ['admin'] })), '403 FORBIDDEN');
  for (const body of [
    { roles: ['super_admin'] },
    { roles: [] },
    { roles: 'admin' },
    { roles: [{ $gt: '' }] },
    { roles: ['member'], modules: ['unknown'] },
    { roles: ['member'], suspendedAt: null },
  ]) {
    assert.equal((await admin.call('PUT', pathOf(person), body)).status, 400, JSON.stringify(body));
  }
});

test('nobody is put into an org but by the platform', async () => {
  const stranger = await callers.person({ org: 'rival' });
  assert.equal(outcome(await admin.call('PUT', pathOf(stranger), { roles: ['member'] })), '404 USER_NOT_FOUND');
  assert.equal(
    outcome(await admin.call('PUT', pathOf({ id: 'usr_nobody' }), { roles: ['member'] })),
    '404 USER_NOT_FOUND',
  );
  assert.equal((await root.call('PUT', pathOf(stranger), { roles: ['member'] })).status, 200);
});

test('who leaves while an admin changes their roles is not put back in', async () => {
  for (const write of ['find', 'replaceRights'] as const) {
    const person = await callers.person({ org: 'acme', roles: ['member'] });
    const org = await idp.deps.orgs.find('acme');
    assert.ok(org);
    const { memberships } = idp.deps;
    const leave = () => memberships.remove(person.id, org.id);
    // Right after the change was allowed, or between its read and its write.
    if (write === 'replaceRights') meanwhile(idp.deps, 'memberships', write, leave);
    else {
      const before = memberships.find.bind(memberships);
      const find: typeof before = async (userId, orgId) => {
        const found = await before(userId, orgId);
        if (userId === person.id) await leave();
        return found;
      };
      Object.assign(idp.deps, { memberships: { ...memberships, find } });
    }
    const reply = await admin.call('PUT', pathOf(person), { roles: ['viewer'], modules: [] });
    Object.assign(idp.deps, { memberships });
    assert.equal(outcome(reply), '404 USER_NOT_FOUND');
    assert.equal(await memberships.find(person.id, org.id), null);
  }
});

test('a role that was taken away is gone from the next request on, whatever the token says', async () => {
  const second = await callers.person({ org: 'acme', roles: ['admin'] });
  assert.equal((await second.call('GET', '/api/v2/orgs/acme/invites')).status, 200);
  assert.equal((await admin.call('PUT', pathOf(second), { roles: ['member'] })).status, 200);
  assert.equal(outcome(await second.call('GET', '/api/v2/orgs/acme/invites')), '401 UNAUTHORIZED');
  idp.advance(2_000);
  const again = await callers.signIn(second.id);
  assert.equal(outcome(await again.call('GET', '/api/v2/orgs/acme/invites')), '403 FORBIDDEN');
});

test('suspending a membership leaves the account, and restoring brings it back', async () => {
  const person = await callers.person({ org: 'acme', roles: ['member'] });
  assert.equal((await admin.call('POST', `${pathOf(person)}/suspend`)).body.data.suspendedAt !== null, true);
  assert.equal((await person.call('GET', '/api/v2/orgs/acme')).status, 401);
  assert.equal((await idp.deps.users.find(person.id))?.suspendedAt, null);
  assert.equal((await admin.call('POST', `${pathOf(person)}/restore`)).body.data.suspendedAt, null);
  idp.advance(2_000);
  assert.equal((await (await callers.signIn(person.id)).call('GET', '/api/v2/orgs/acme')).status, 200);
  assert.equal(outcome(await member.call('POST', `${pathOf(person)}/suspend`)), '403 FORBIDDEN');
});

test('a member may leave, and the org they are known by becomes another of theirs', async () => {
  const person = await callers.person({ org: 'acme', roles: ['viewer'] });
  await root.call('PUT', pathOf(person, 'rival'), { roles: ['member'] });
  assert.equal((await person.call('DELETE', pathOf(person))).status, 200);
  assert.equal((await idp.deps.users.find(person.id))?.primaryOrg, 'rival');
  assert.equal(outcome(await admin.call('DELETE', pathOf(person))), '404 USER_NOT_FOUND');
  assert.equal(outcome(await member.call('DELETE', pathOf(admin))), '403 FORBIDDEN');
});

test('an org keeps an admin, whichever way the last one would go', async () => {
  await idp.seedOrg('single');
  const only = await callers.person({ org: 'single', roles: ['admin'] });
  const path = pathOf(only, 'single');
  assert.equal(outcome(await only.call('DELETE', path)), '409 CONFLICT');
  assert.equal(outcome(await only.call('PUT', path, { roles: ['member'] })), '409 CONFLICT');
  assert.equal(outcome(await only.call('POST', `${path}/suspend`)), '409 CONFLICT');
  assert.equal(outcome(await root.call('DELETE', path)), '409 CONFLICT');
  assert.equal((await only.call('GET', '/api/v2/orgs/single/invites')).status, 200);
});

test('admins who remove each other at the same time do not leave an org without one', async () => {
  for (let round = 0; round < 10; round += 1) {
    const slug = `pair${round}`;
    const org = await idp.seedOrg(slug);
    const [one, two] = [
      await callers.person({ org: slug, roles: ['admin'] }),
      await callers.person({ org: slug, roles: ['admin'] }),
    ];
    await Promise.all([
      one.call('DELETE', pathOf(two, slug)),
      two.call('PUT', pathOf(one, slug), { roles: ['viewer'] }),
    ]);
    assert.ok((await idp.deps.memberships.countWithRole(org.id, 'admin')) >= 1, slug);
  }
});

test('of two admins who change what they both read, one is told, and no change is lost', async () => {
  const person = await callers.person({ org: 'acme', roles: ['member'] });
  const second = await callers.person({ org: 'acme', roles: ['admin'] });
  const before = { roles: ['member'], modules: [] };
  const added = { roles: ['viewer', 'member'], modules: [], before };
  const answers = await Promise.all([
    admin.call('PUT', pathOf(person), added),
    second.call('PUT', pathOf(person), { roles: ['member'], modules: ['crm'], before }),
  ]);
  assert.deepEqual(answers.map(outcome).sort(), ['200 ok', '409 CONFLICT']);
  const now = (await admin.call('GET', pathOf(person))).body.data;
  const won = answers.find(({ status }) => status === 200)?.body.data;
  assert.deepEqual([now.roles, now.modules], [won.roles, won.modules]);
  assert.equal(
    outcome(await admin.call('PUT', pathOf(person), { ...added, before: { roles: ['viewer'], modules: [] } })),
    '409 CONFLICT',
  );
});

test('a conditional change that takes a role and is cut off leaves no token that names it', async () => {
  const person = await callers.person({ org: 'acme', roles: ['member'] });
  meanwhile(idp.deps, 'memberships', 'replaceRights', () => Promise.reject(new Error('killed')), 'after');
  const order = { roles: ['viewer'], before: { roles: ['member'], modules: [] } };
  assert.equal((await admin.call('PUT', pathOf(person), order)).status, 500);
  assert.deepEqual((await admin.call('GET', pathOf(person))).body.data.roles, ['viewer']);
  assert.equal(outcome(await person.call('GET', '/api/v2/me')), '401 UNAUTHORIZED');
  assert.equal(outcome(await admin.call('PUT', pathOf(person), order)), '409 CONFLICT', 'the repetition');
});
