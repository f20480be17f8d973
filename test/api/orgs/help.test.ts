import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTotp } from '../../../api/identity/login/second-factor.ts';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';
import { createBrowser } from '../identity/pages/browse.ts';
import { type Callers, createCallers, outcome, type Person } from './callers.ts';

const PASSWORD = 'correct horse battery';
const NEW = 'a sentence that is only mine';

let idp: TestIdp;
let callers: Callers;
let admin: Person;
let root: Person;

before(async () => {
  idp = await startIdp();
  callers = createCallers(idp);
  await idp.seedOrg('acme');
  await idp.seedOrg('rival');
  admin = await callers.person({ org: 'acme', roles: ['admin'] });
  root = await callers.person({ platformRoles: ['super_admin'] });
});
after(() => idp.stop());

const pathOf = (person: Pick<Person, 'id'>, rest: string, org = 'acme') =>
  `/api/v2/orgs/${org}/members/${person.id}/${rest}`;
const RESET = 'reset-second-factor';

/** Somebody with a password and an authenticator app, which is past its trial. */
async function withFactor(given: Parameters<Callers['person']>[0] = { org: 'acme' }): Promise<Person> {
  const person = await callers.person(given);
  const { users } = idp.deps;
  await users.setPassword(person.id, 0, await idp.deps.hasher.hash(PASSWORD));
  await users.loginsEnded(person.id, 1);
  const totp = createTotp(idp.deps, person.id);
  await users.setTotp(person.id, totp);
  const longAgo = new Date(idp.deps.now().getTime() - 30 * 86_400_000);
  await users.confirmTotp(person.id, totp.secret, 0, longAgo, longAgo);
  await users.update(person.id, { recoveryCodes: ['hash'] });
  return person;
}

const record = (person: Pick<Person, 'id'>) => idp.deps.users.find(person.id);

test('a reset of the second factor ends everything, voids the password, and lets the person in by their mailbox alone', async () => {
  const person = await withFactor();
  assert.equal((await person.call('GET', '/api/v2/me')).status, 200);
  const { status, body } = await admin.call('POST', pathOf(person, RESET));
  assert.deepEqual([status, body.data.userId], [200, person.id]);
  const { totp, passkeys, recoveryCodes, passwordHash } = (await record(person)) ?? {};
  assert.deepEqual([totp, passkeys, recoveryCodes, passwordHash], [null, [], [], null]);
  assert.equal(outcome(await person.call('GET', '/api/v2/me')), '401 UNAUTHORIZED', 'their tokens');
  assert.equal((await createBrowser(idp).logIn(person.email, PASSWORD)).title, 'Sign in', 'whoever knows the password');
  await idp.deps.mailQueue.idle();
  const mail = idp.mailbox.at(-1);
  assert.deepEqual([mail?.kind, mail?.to], ['second_factor_reset', person.email]);
  const browser = createBrowser(idp);
  const [link = ''] = /\/login\/reset\?token=\S+/.exec(mail?.text ?? '') ?? [];
  await browser.submit(await browser.open(link), '/login/reset', { password: NEW });
  assert.equal((await createBrowser(idp).logIn(person.email, NEW)).title, 'Your account');
  assert.equal(outcome(await admin.call('POST', pathOf(person, RESET))), '409 CONFLICT');
});

test('an org admin touches no account that is in another org as well, suspended there or not, or has a platform role', async () => {
  const both = await withFactor();
  await root.call('PUT', `/api/v2/orgs/rival/members/${both.id}`, { roles: ['viewer'] });
  const away = await withFactor();
  await root.call('PUT', `/api/v2/orgs/rival/members/${away.id}`, { roles: ['viewer'] });
  await root.call('POST', `/api/v2/orgs/rival/members/${away.id}/suspend`);
  const staff = await withFactor({ org: 'acme', platformRoles: ['devops'] });
  const superAdmin = await withFactor({ org: 'acme', platformRoles: ['super_admin'] });
  for (const person of [both, away, staff, superAdmin]) {
    const before = await record(person);
    assert.equal(outcome(await admin.call('POST', pathOf(person, RESET))), '403 FORBIDDEN');
    assert.equal(outcome(await admin.call('GET', pathOf(person, 'sessions'))), '403 FORBIDDEN');
    assert.equal(outcome(await admin.call('DELETE', pathOf(person, 'sessions'))), '403 FORBIDDEN');
    assert.deepEqual(await record(person), before);
  }
  const stranger = await withFactor({ org: 'rival' });
  assert.equal(outcome(await admin.call('POST', pathOf(stranger, RESET))), '404 USER_NOT_FOUND');
  assert.equal((await root.call('POST', `/api/v2/users/${both.id}/${RESET}`)).status, 200, 'the platform helps them');
});

test("a super admin's account is helped by super admins alone, not by the platform's key, whichever route is asked", async () => {
  const other = await withFactor({ org: 'acme', platformRoles: ['super_admin'] });
  for (const path of [`/api/v2/users/${other.id}/${RESET}`, pathOf(other, RESET)]) {
    assert.equal(outcome(await callers.platform('POST', path)), '403 FORBIDDEN');
  }
  assert.equal(outcome(await callers.platform('DELETE', `/api/v2/users/${other.id}/sessions`)), '403 FORBIDDEN');
  assert.equal((await root.call('POST', `/api/v2/users/${other.id}/${RESET}`)).status, 200);
});

test('nobody resets their own second factor: a thief with their token could', async () => {
  const own = await withFactor({ org: 'acme', roles: ['admin'] });
  const superAdmin = await withFactor({ platformRoles: ['super_admin'] });
  assert.equal(outcome(await own.call('POST', pathOf(own, RESET))), '403 FORBIDDEN');
  assert.equal(outcome(await superAdmin.call('POST', `/api/v2/users/${superAdmin.id}/${RESET}`)), '403 FORBIDDEN');
  for (const person of [own, superAdmin]) assert.notEqual((await record(person))?.totp, null);
});

test('an admin sees where a member is signed in, ends one session, or everything', async () => {
  const person = await withFactor({ org: 'acme' });
  const seen = (await admin.call('GET', pathOf(person, 'sessions'))).body.data;
  assert.deepEqual([seen.sessions.length, seen.applications.length], [1, 1]);
  assert.equal(seen.applications[0].clientId, 'fairlead-cli');
  assert.doesNotMatch(JSON.stringify(seen), /secret|hash/i);
  const foreign = (await idp.deps.sessions.listOfUser(root.id, idp.deps.now()))[0]?.id;
  assert.equal(outcome(await admin.call('DELETE', pathOf(person, `sessions/${foreign}`))), '404 NOT_FOUND');
  assert.equal((await admin.call('DELETE', pathOf(person, `sessions/${seen.sessions[0].id}`))).status, 200);
  assert.equal(outcome(await person.call('GET', '/api/v2/me')), '401 UNAUTHORIZED');
  const again = await callers.signIn(person.id);
  assert.equal((await admin.call('DELETE', pathOf(person, 'sessions'))).status, 200);
  assert.equal(outcome(await again.call('GET', '/api/v2/me')), '401 UNAUTHORIZED');
});

test("an org's admins read what was changed in it, and nothing of where its people log in, or of other orgs", async () => {
  const person = await withFactor();
  await admin.call('PUT', `/api/v2/orgs/acme/members/${person.id}`, { roles: ['viewer'] });
  await admin.call('POST', pathOf(person, RESET));
  await createBrowser(idp).logIn(person.email, 'a wrong password');
  const list = async (query = '') => (await admin.call('GET', `/api/v2/orgs/acme/audit-events${query}`)).body.data;
  const { items } = await list('?limit=200');
  const types: string[] = items.map(({ type }: { type: string }) => type);
  assert.deepEqual(types.slice(0, 2), ['user.second_factor_reset', 'org.member_changed']);
  assert.deepEqual([items[0].actor, items[0].subject], [admin.id, person.id]);
  assert.deepEqual(
    types.filter((type) => /^(user\.log|session\.|oauth\.grant)/.test(type)),
    [],
  );
  assert.doesNotMatch(JSON.stringify(items), /127\.0\.0\.1/);
  const changed = (await list('?type=org.member_changed&limit=1')).items;
  assert.deepEqual(
    changed.map(({ type }: { type: string }) => type),
    ['org.member_changed'],
  );
  assert.deepEqual((await list('?type=user.login_failed')).items, []);
  assert.equal(outcome(await person.call('GET', '/api/v2/orgs/rival/audit-events')), '401 UNAUTHORIZED');
  const member = await callers.person({ org: 'acme' });
  assert.equal(outcome(await member.call('GET', '/api/v2/orgs/acme/audit-events')), '403 FORBIDDEN');
  const rival = (await root.call('GET', '/api/v2/orgs/rival/audit-events')).body.data.items;
  assert.ok(rival.every(({ subject }: { subject: string }) => subject !== person.id));
});

test('on their account page, admins open the audit list of their org, and nobody else that of an org', async () => {
  const user = await idp.seedUser('pages@acme.example', { org: 'acme', orgRoles: ['admin'], password: PASSWORD });
  const browser = createBrowser(idp);
  const account = await browser.logIn(user.email, PASSWORD);
  assert.match(account.html, /href="\/account\/audit\?org=acme"/);
  const page = await browser.open('/account/audit?org=acme');
  assert.equal(page.title, 'What was changed');
  assert.match(page.html, /<strong>user\.second_factor_reset<\/strong>/);
  assert.equal((await browser.open('/account/audit?org=rival')).status, 404);
  const member = await idp.seedUser('no-admin@acme.example', { org: 'acme', password: PASSWORD });
  const other = createBrowser(idp);
  assert.doesNotMatch((await other.logIn(member.email, PASSWORD)).html, /account\/audit/);
  assert.equal((await other.open('/account/audit?org=acme')).status, 404);
});

test('a reset that cannot be told in the audit trail is not done', async () => {
  const person = await withFactor();
  const { audit } = idp.deps;
  const record_ = () => Promise.reject(new Error('away'));
  Object.assign(idp.deps, { audit: { ...audit, record: record_ } });
  const before = await record(person);
  assert.ok((await admin.call('POST', pathOf(person, RESET))).status >= 500);
  Object.assign(idp.deps, { audit });
  assert.deepEqual(await record(person), before);
});
