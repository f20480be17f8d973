import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { acceptInvite, readInvite } from '../../../api/identity/login/accept-invite.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { assertNotLogged } from '../../support/not-logged.ts';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';
import { visit } from '../identity/visit.ts';
import { type Callers, createCallers, outcome, type Person } from './callers.ts';

let idp: TestIdp;
let callers: Callers;
let admin: Person;
const NEW_USER = { firstName: 'New', lastName: 'Comer', password: 'a sentence nobody guesses' };
const INVITES = '/api/v2/orgs/acme/invites';

before(async () => {
  idp = await startIdp({ database: 'server' });
  callers = createCallers(idp);
  await idp.seedOrg('acme', { modules: ['crm'] });
  admin = await callers.person({ org: 'acme', roles: ['admin'] });
});
after(() => idp.stop());

async function invite(email: string, more: Record<string, unknown> = {}, by: Person = admin): Promise<string> {
  const { status, body, text } = await by.call('POST', INVITES, { email, sendEmail: false, ...more });
  assert.equal(status, 201, text);
  return new URL(body.data.inviteUrl).searchParams.get('token') ?? '';
}

const codeOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'ok',
    (error: unknown) => (error instanceof FairleadError ? error.code : String(error)),
  );

test('an invitation goes by mail, or its link to the caller; never both', async () => {
  const mailed = await admin.call('POST', INVITES, { email: 'Mailed@Example.com', role: 'viewer', modules: ['crm'] });
  assert.equal(mailed.status, 201);
  assert.equal(mailed.body.data.inviteUrl, undefined);
  assert.equal(mailed.body.data.email, 'mailed@example.com');
  await idp.deps.mailQueue.idle();
  const mail = idp.mailbox.findLast(({ to }) => to === 'mailed@example.com');
  assert.match(mail?.text ?? '', new RegExp(`${idp.issuer}/invites/accept\\?token=fliv_`));
  const handed = await admin.call('POST', INVITES, { email: 'handed@example.com', sendEmail: false });
  assert.match(handed.body.data.inviteUrl, /\/invites\/accept\?token=flih_/);
  await idp.deps.mailQueue.idle();
  assert.equal(
    idp.mailbox.some(({ to }) => to === 'handed@example.com'),
    false,
  );
  assertNotLogged(idp.logged, INVITES, []);
  for (const line of idp.logged) assert.doesNotMatch(line, /fli[vh]_/);
});

test('the answer is the same whether the address has an account', async () => {
  await idp.seedUser('has@example.com');
  const shape = async (email: string) => {
    const { status, body } = await admin.call('POST', INVITES, { email });
    return [status, Object.keys(body.data).sort()];
  };
  assert.deepEqual(await shape('has@example.com'), await shape('has-not@example.com'));
});

test('only admins invite, list and withdraw; a withdrawn invitation works no more', async () => {
  const member = await callers.person({ org: 'acme', roles: ['member'] });
  const body = { email: 'x@example.com' };
  assert.equal(outcome(await member.call('POST', INVITES, body)), '403 FORBIDDEN');
  assert.equal(outcome(await member.call('GET', INVITES)), '403 FORBIDDEN');
  await idp.seedOrg('rival');
  const stranger = await callers.person({ org: 'rival', roles: ['admin'] });
  assert.equal(outcome(await stranger.call('POST', INVITES, body)), '404 ORG_NOT_FOUND');
  const token = await invite('withdrawn@example.com');
  const { items } = (await admin.call('GET', INVITES)).body.data;
  const { id } = items.find(({ email }: { email: string }) => email === 'withdrawn@example.com');
  assert.equal(outcome(await stranger.call('DELETE', `/api/v2/orgs/rival/invites/${id}`)), '404 NOT_FOUND');
  assert.equal((await admin.call('DELETE', `${INVITES}/${id}`)).status, 200);
  assert.equal(outcome(await admin.call('DELETE', `${INVITES}/${id}`)), '404 NOT_FOUND');
  assert.equal(await codeOf(readInvite(idp.deps, token)), 'INVITE_INVALID');
  for (const bad of [
    { email: 'p@acme.personas.invalid' },
    { email: ['x@example.com'] },
    { email: 'x@example.com', role: 'super_admin' },
    { email: 'x@example.com', role: ['admin'] },
    { email: 'x@example.com', modules: ['unknown'] },
    { email: 'x@example.com', sendEmail: 'false' },
    { email: 'x@example.com', orgSlug: 'platform' },
  ]) {
    assert.equal((await admin.call('POST', INVITES, bad)).status, 400, JSON.stringify(bad));
  }
});

test('of fifty who accept at once exactly one is let in', async () => {
  const token = await invite('raced@example.com', { role: 'admin', modules: ['crm'] });
  const codes = await Promise.all(
    Array.from({ length: 50 }, () => codeOf(acceptInvite(idp.deps, visit(idp), { token, newUser: NEW_USER }))),
  );
  assert.equal(codes.filter((code) => code === 'ok').length, 1);
  assert.ok(codes.every((code) => ['ok', 'INVITE_INVALID', 'USER_EXISTS'].includes(code)));
  const user = await idp.deps.users.findByEmail('raced@example.com');
  assert.equal(user?.primaryOrg, 'acme');
  const [membership] = await idp.deps.memberships.listOfUser(user?.id ?? '');
  assert.deepEqual([membership?.roles, membership?.modules], [['admin'], ['crm']]);
});

test('a mailed invitation proves the address, one that was handed over does not', async () => {
  await acceptInvite(idp.deps, visit(idp), { token: await invite('unproven@example.com'), newUser: NEW_USER });
  assert.equal((await idp.deps.users.findByEmail('unproven@example.com'))?.emailVerified, false);
  await admin.call('POST', INVITES, { email: 'proven@example.com' });
  await idp.deps.mailQueue.idle();
  const mail = idp.mailbox.findLast(({ to }) => to === 'proven@example.com');
  const token = /token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
  await acceptInvite(idp.deps, visit(idp), { token, newUser: NEW_USER });
  assert.equal((await idp.deps.users.findByEmail('proven@example.com'))?.emailVerified, true);
  // The token of one kind under the prefix of the other is another token.
  const handed = await invite('forged@example.com');
  assert.equal(await codeOf(readInvite(idp.deps, handed.replace('flih_', 'fliv_'))), 'INVITE_INVALID');
});

test('only the invited address may accept, and who has an account signs in first', async () => {
  const user = await idp.seedUser('known@example.com');
  const other = await idp.seedUser('other@example.com');
  const token = await invite('known@example.com', { role: 'member' });
  assert.equal(await codeOf(acceptInvite(idp.deps, visit(idp), { token, newUser: NEW_USER })), 'USER_EXISTS');
  assert.equal(await codeOf(acceptInvite(idp.deps, visit(idp), { token, user: other })), 'INVITE_INVALID');
  const joined = await acceptInvite(idp.deps, visit(idp), { token, user });
  assert.deepEqual([joined.org.slug, joined.user.primaryOrg], ['acme', 'acme']);
  assert.equal(await codeOf(acceptInvite(idp.deps, visit(idp), { token, user })), 'INVITE_INVALID');
});

test('a refused password leaves the invitation open; a newer one voids the one before; it expires', async () => {
  const first = await invite('slow@example.com');
  const weak = { ...NEW_USER, password: 'slow@example.com' };
  assert.equal(await codeOf(acceptInvite(idp.deps, visit(idp), { token: first, newUser: weak })), 'PASSWORD_REFUSED');
  assert.equal(await codeOf(readInvite(idp.deps, first)), 'ok');
  const second = await invite('slow@example.com');
  assert.equal(await codeOf(readInvite(idp.deps, first)), 'INVITE_INVALID');
  assert.equal(await codeOf(readInvite(idp.deps, second)), 'ok');
  idp.advance(7 * 86_400_000 + 1_000);
  assert.equal(await codeOf(readInvite(idp.deps, second)), 'INVITE_INVALID');
});

test('an admin who was removed does not come back by an invitation they left behind', async () => {
  const { id } = admin;
  admin = { ...admin, ...(await callers.signIn(id)) };
  const rogue = await callers.person({ org: 'acme', roles: ['admin'] });
  const token = await invite('rogue-again@example.com', { role: 'admin' }, rogue);
  assert.equal(await codeOf(readInvite(idp.deps, token)), 'ok');
  assert.equal((await admin.call('DELETE', `/api/v2/orgs/acme/members/${rogue.id}`)).status, 200);
  const back = acceptInvite(idp.deps, visit(idp), { token, newUser: NEW_USER });
  assert.equal(await codeOf(back), 'INVITE_INVALID');
});
