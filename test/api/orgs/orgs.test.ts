import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';
import { type Callers, createCallers, outcome, type Person } from './callers.ts';

let idp: TestIdp;
let callers: Callers;
let admin: Person;
let member: Person;
let viewer: Person;
let stranger: Person;
let root: Person;

before(async () => {
  idp = await startIdp({ database: 'server' });
  callers = createCallers(idp);
  await idp.seedOrg('acme', { modules: ['crm', 'mail'] });
  await idp.seedOrg('rival');
  admin = await callers.person({ org: 'acme', roles: ['admin'] });
  member = await callers.person({ org: 'acme', roles: ['member'] });
  viewer = await callers.person({ org: 'acme', roles: ['viewer'] });
  stranger = await callers.person({ org: 'rival', roles: ['admin'] });
  root = await callers.person({ org: 'platform', roles: ['member'], platformRoles: ['super_admin'] });
});
after(() => idp.stop());

const ACME = '/api/v2/orgs/acme';

test('the platform creates orgs, of one slug once; nobody else does', async () => {
  const body = { slug: 'new-org', name: 'New Org', modules: ['crm', 'crm'] };
  const made = await callers.platform('POST', '/api/v2/orgs', body);
  assert.equal(made.status, 201, made.text);
  assert.match(made.body.data.id, /^ORG-[0-9A-HJKMNP-TV-Z]{8}$/);
  assert.deepEqual(made.body.data.modules, ['crm']);
  assert.equal(outcome(await root.call('POST', '/api/v2/orgs', body)), '409 ORG_EXISTS');
  assert.equal(outcome(await admin.call('POST', '/api/v2/orgs', { ...body, slug: 'mine' })), '403 FORBIDDEN');
  assert.equal(outcome(await idp.call('POST', '/api/v2/orgs', { json: body })), '401 UNAUTHORIZED');
  const race = await Promise.all(
    Array.from({ length: 50 }, () => callers.platform('POST', '/api/v2/orgs', { ...body, slug: 'raced' })),
  );
  assert.equal(race.filter(({ status }) => status === 201).length, 1);
  assert.equal(race.filter(({ status }) => status === 409).length, 49);
  for (const slug of ['', 'UPPER', '-x', 'a b', 'x'.repeat(64), 'me', { $gt: '' }, 7]) {
    assert.equal((await callers.platform('POST', '/api/v2/orgs', { ...body, slug })).status, 400);
  }
});

test('a service of the platform org administers neither orgs nor people', async () => {
  const { secret } = await idp.seedClient('platform-job', { orgSlug: 'platform' });
  const headers = await callers.service('platform-job', secret);
  for (const [method, path, json] of [
    ['POST', '/api/v2/orgs', { slug: 'by-job', name: 'By job' }],
    ['GET', '/api/v2/users', undefined],
    ['GET', `/api/v2/users/${admin.id}`, undefined],
    ['POST', `/api/v2/users/${admin.id}/suspend`, {}],
  ] as const) {
    assert.equal(outcome(await idp.call(method, path, { headers, json })), '403 FORBIDDEN', path);
  }
  const invite = { email: 'x@example.com', role: 'admin' };
  const invited = await idp.call('POST', '/api/v2/orgs/platform/invites', { headers, json: invite });
  assert.equal(outcome(invited), '404 ORG_NOT_FOUND');
});

test('an org is seen by its members and the platform; for others it does not exist', async () => {
  for (const { call } of [admin, member, viewer, root]) assert.equal((await call('GET', ACME)).body.data.slug, 'acme');
  const hidden = await stranger.call('GET', ACME);
  const absent = await stranger.call('GET', '/api/v2/orgs/no-such-org');
  assert.deepEqual([hidden.status, hidden.text], [404, absent.text]);
  const slugs = async (person: Person) =>
    (await person.call('GET', '/api/v2/orgs')).body.data.items.map(({ slug }: { slug: string }) => slug);
  assert.deepEqual(await slugs(admin), ['acme']);
  assert.deepEqual(await slugs(stranger), ['rival']);
  assert.ok((await slugs(root)).includes('acme'));
  const page = await callers.platform('GET', '/api/v2/orgs?limit=2');
  const next = await callers.platform('GET', `/api/v2/orgs?limit=2&cursor=${page.body.data.nextCursor}`);
  assert.equal(page.body.data.items.length, 2);
  assert.notEqual(page.body.data.items[0].slug, next.body.data.items[0].slug);
  // By its id, or with an operator in the place of a slug, nothing is found.
  const { id } = (await admin.call('GET', ACME)).body.data;
  assert.equal((await admin.call('GET', `/api/v2/orgs/${id}`)).status, 404);
  assert.equal((await admin.call('GET', '/api/v2/orgs/$gt')).status, 404);
});

test('admins change how the org looks; modules and suspension are for the platform', async () => {
  const look = { name: 'Acme & Co', whiteLabel: { primaryColor: '#ff8800' } };
  const changed = await admin.call('PATCH', ACME, look);
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.body.data.whiteLabel, { emailFromName: null, logoUrl: null, primaryColor: '#ff8800' });
  for (const { call } of [member, viewer]) assert.equal(outcome(await call('PATCH', ACME, look)), '403 FORBIDDEN');
  assert.equal(outcome(await stranger.call('PATCH', ACME, look)), '404 ORG_NOT_FOUND');
  for (const body of [{ modules: ['everything'] }, { suspended: true }, { suspended: false }]) {
    assert.equal(outcome(await admin.call('PATCH', ACME, body)), '403 FORBIDDEN');
  }
  assert.equal(outcome(await root.call('PATCH', '/api/v2/orgs/platform', { suspended: true })), '403 FORBIDDEN');
  const bad = [
    { whiteLabel: { logoUrl: 'javascript:alert(1)' } },
    { whiteLabel: { logoUrl: 'http://plain.example/x.png' } },
    { whiteLabel: { primaryColor: 'red;}' } },
    { whiteLabel: { emailFromName: 'a\r\nBcc: b@example.com' } },
    { mailTemplates: { invite: { subject: 'x', text: 'no link' } } },
    { mailTemplates: { invite: { subject: 'x', text: '{{link}} {{secret}}' } } },
    { mailTemplates: { unknown: { subject: 'x', text: '{{link}}' } } },
    { mailTemplates: { __proto__x: { subject: 'x', text: '{{link}}' } } },
    { platform: true },
    { slug: 'other' },
    { name: { $set: 'x' } },
  ];
  for (const body of bad) assert.equal((await admin.call('PATCH', ACME, body)).status, 400, JSON.stringify(body));
});

test("a suspended org shuts its members out and ends its clients' tokens, until it is restored", async () => {
  await idp.seedOrg('closing');
  const boss = await callers.person({ org: 'closing', roles: ['admin'] });
  const { secret } = await idp.seedClient('closing-job', { orgSlug: 'closing' });
  const job = await callers.service('closing-job', secret);
  const asJob = () => idp.call('GET', '/api/v2/orgs', { headers: job });
  assert.equal((await asJob()).status, 200);
  const path = '/api/v2/orgs/closing';
  assert.notEqual((await root.call('PATCH', path, { suspended: true })).body.data.suspendedAt, null);
  assert.equal(outcome(await boss.call('GET', path)), '401 UNAUTHORIZED');
  assert.equal(outcome(await asJob()), '401 UNAUTHORIZED');
  const { body } = await idp.call('POST', '/api/oauth/token', {
    json: { grant_type: 'client_credentials', client_id: 'closing-job', client_secret: secret },
  });
  assert.equal(body.error, 'invalid_client');
  assert.equal((await root.call('PATCH', path, { suspended: false })).body.data.suspendedAt, null);
  // Tokens of the very second of the suspension are void as well.
  idp.advance(2_000);
  assert.equal((await (await callers.signIn(boss.id)).call('GET', path)).status, 200);
});

test('an org lets a client manage its people, and revokes that; the platform org cannot', async () => {
  await idp.seedClient('helper-prod', { orgSlug: 'rival' });
  const path = `${ACME}/grants/helper-prod`;
  for (const { call } of [member, viewer]) assert.equal(outcome(await call('PUT', path)), '403 FORBIDDEN');
  assert.equal(outcome(await stranger.call('PUT', path)), '404 ORG_NOT_FOUND');
  const granted = await admin.call('PUT', path);
  assert.deepEqual([granted.status, granted.body.data.approvedBy], [200, admin.id]);
  assert.equal((await admin.call('PUT', path)).body.data.approvedAt, granted.body.data.approvedAt);
  assert.equal((await admin.call('GET', path)).body.data.grant, 'org:manage');
  assert.equal((await admin.call('GET', `${ACME}/grants`)).body.data.items.length, 1);
  assert.equal(outcome(await admin.call('PUT', `${ACME}/grants/nobody`)), '404 CLIENT_NOT_FOUND');
  assert.equal(outcome(await root.call('PUT', '/api/v2/orgs/platform/grants/helper-prod')), '403 FORBIDDEN');
  assert.equal((await admin.call('DELETE', path)).status, 200);
  assert.equal(outcome(await admin.call('DELETE', path)), '404 NOT_FOUND');
  assert.equal(outcome(await admin.call('GET', path)), '404 NOT_FOUND');
});

test('a service creates people only in orgs that granted it that, and no admins', async () => {
  const { secret } = await idp.seedClient('maker-prod', { orgSlug: 'rival' });
  const headers = await callers.service('maker-prod', secret);
  const body = { email: 'made@example.com', firstName: 'Made', lastName: 'Up', modules: ['crm'] };
  const create = (json: unknown, org = 'acme') => idp.call('POST', `/api/v2/orgs/${org}/users`, { headers, json });
  assert.equal(outcome(await create(body)), '404 ORG_NOT_FOUND');
  assert.equal(outcome(await create(body, 'rival')), '404 ORG_NOT_FOUND');
  assert.equal(outcome(await admin.call('POST', `${ACME}/users`, body)), '404 ORG_NOT_FOUND');
  assert.equal((await admin.call('PUT', `${ACME}/grants/maker-prod`)).status, 200);
  const admins = await create({ ...body, role: 'admin' });
  assert.equal(outcome(admins), '403 ROLE_ESCALATION');
  assert.deepEqual(admins.body.error.details.grantable, ['viewer', 'member']);
  assert.equal((await create({ ...body, modules: ['unknown'] })).status, 400);
  const made = await create(body);
  assert.equal(made.status, 201, made.text);
  const user = await idp.deps.users.find(made.body.data.userId);
  assert.deepEqual(
    [user?.passwordHash, user?.emailVerified, user?.onboardingPending?.orgSlug, user?.onboardingPending?.clientId],
    [null, false, 'acme', 'maker-prod'],
  );
  assert.equal(outcome(await create(body)), '409 USER_EXISTS');
  assert.equal((await create({ ...body, email: 'p@x.personas.invalid' })).status, 400);
});

test('a service creates people in the org that deployed it without a grant, and never in the platform org', async () => {
  await idp.seedOrg('owner');
  const made = { service: 'shop', environment: 'prod' } as const;
  const { secret } = await idp.seedClient('shop-prod', { orgSlug: 'owner', ...made });
  const { secret: platformSecret } = await idp.seedClient('core-prod', { orgSlug: 'platform', ...made });
  const body = { email: 'staff@example.com', firstName: 'Staff', lastName: 'Member' };
  const headers = await callers.service('shop-prod', secret);
  const create = (org: string, by: typeof headers) =>
    idp.call('POST', `/api/v2/orgs/${org}/users`, { headers: by, json: body });
  assert.equal((await create('owner', headers)).status, 201);
  assert.equal(outcome(await create('acme', headers)), '404 ORG_NOT_FOUND');
  assert.equal(
    outcome(await create('platform', await callers.service('core-prod', platformSecret))),
    '404 ORG_NOT_FOUND',
  );
});
