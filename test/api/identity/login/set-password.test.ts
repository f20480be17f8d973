import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkPassword } from '../../../../api/identity/login/check-password.ts';
import { finishEnding } from '../../../../api/identity/login/end-logins.ts';
import { createLink, readLink, takeLink } from '../../../../api/identity/login/one-time-links.ts';
import { setPassword } from '../../../../api/identity/login/set-password.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { createLogins } from '../oauth/logins.ts';
import { visit } from '../visit.ts';

let idp: TestIdp;
const OLD = 'a sentence nobody guesses';
const NEW = 'another sentence altogether';

before(async () => {
  idp = await startIdp();
});
after(() => idp.stop());

const refusedWith = (code: string) => (error: unknown) => error instanceof FairleadError && error.code === code;

test('a new password ends all other sessions, logins and links, and keeps the session it was set in', async () => {
  const user = await idp.seedUser('ada@example.com', { password: OLD });
  const logins = createLogins(idp);
  const cli = { client: await idp.deps.clients.find('fairlead-cli'), secret: '' };
  assert.ok(cli.client);
  const seeded = { client: cli.client, secret: '' };
  const here = await logins.login(seeded, user);
  const elsewhere = await logins.login(seeded, user);
  const offline = await logins.login(seeded, user, { scopes: ['openid', 'offline_access'] });
  const reset = await createLink(idp.deps, { purpose: 'password_reset', user, client: null, returnTo: null });
  const magic = await createLink(idp.deps, { purpose: 'magic_link', user, client: null, returnTo: null });

  await setPassword(idp.deps, visit(idp), user, NEW, { keepSession: here.sessionId });

  const live = await idp.deps.sessions.listOfUser(user.id, idp.deps.now());
  assert.deepEqual(
    live.map(({ id }) => id),
    [here.sessionId],
  );
  const status = async ({ tokens }: typeof here) => (await logins.refresh(seeded, tokens.refresh_token)).status;
  assert.deepEqual([await status(here), await status(elsewhere), await status(offline)], [200, 400, 400]);
  await assert.rejects(readLink(idp.deps, reset.token, 'password_reset'), refusedWith('LINK_INVALID'));
  await assert.rejects(takeLink(idp.deps, magic.token, 'magic_link'), refusedWith('LINK_INVALID'));
});

test('a request that was paused while another ended the earlier logins ends none of the new password', async () => {
  const { id } = await idp.seedUser('paused@example.com', { password: OLD });
  const logins = createLogins(idp);
  const client = await idp.deps.clients.find('fairlead-cli');
  assert.ok(client);
  const seeded = { client, secret: '' };
  const owner = async () => (await idp.deps.users.find(id)) ?? assert.fail();
  const first = await logins.login(seeded, await owner());
  // Of a process that was killed before it had ended anything.
  assert.ok(await idp.deps.users.setPassword(id, (await owner()).passwordVersion, 'hash of another'));
  const paused = await owner();
  assert.equal(await finishEnding(idp.deps, await owner()), true);
  const later = await logins.login(seeded, await owner());
  await finishEnding(idp.deps, paused);
  const status = async ({ tokens }: typeof first) => (await logins.refresh(seeded, tokens.refresh_token)).status;
  assert.deepEqual([await status(first), await status(later)], [400, 200]);
});

test('a login with the new password in the same second is not void', async () => {
  const user = await idp.seedUser('quick@example.com', { password: OLD });
  await setPassword(idp.deps, visit(idp), user, NEW);
  await checkPassword(idp.deps, { email: user.email, password: NEW, address: null });
  const logins = createLogins(idp);
  const client = await idp.deps.clients.find('fairlead-cli');
  assert.ok(client);
  const { tokens } = await logins.login({ client, secret: '' }, user, { audience: ['builder'] });
  const { status } = await idp.call('GET', '/api/v2/me', {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  assert.equal(status, 200);
});

test('a refused password changes nothing', async () => {
  const user = await idp.seedUser('same@example.com', { password: OLD });
  for (const password of ['short', 'same@example.com', 'qwertyuiop', 'x'.repeat(257)]) {
    await assert.rejects(setPassword(idp.deps, visit(idp), user, password), refusedWith('PASSWORD_REFUSED'), password);
  }
  const found = await checkPassword(idp.deps, { email: user.email, password: OLD, address: null });
  assert.equal(found.id, user.id);
});

test('a password is the same however its characters were entered', async () => {
  const user = await idp.seedUser('accent@example.com');
  await setPassword(idp.deps, visit(idp), user, 'un cafe\u0301 bien serre\u0301');
  await checkPassword(idp.deps, { email: user.email, password: 'un caf\u00e9 bien serr\u00e9', address: null });
});

test('a hash of weaker parameters is replaced at the next login, and the password still works', async () => {
  const user = await idp.seedUser('weak@example.com', { password: OLD });
  const strong = idp.deps.hasher;
  const outdated = user.passwordHash;
  Object.assign(idp.deps, { hasher: { ...strong, isOutdated: (hash: string) => hash === outdated } });
  await checkPassword(idp.deps, { email: user.email, password: OLD, address: null });
  Object.assign(idp.deps, { hasher: strong });
  const now = await idp.deps.users.find(user.id);
  assert.notEqual(now?.passwordHash, outdated);
  await checkPassword(idp.deps, { email: user.email, password: OLD, address: null });
});

test('neither a failed login nor a link leaves a secret in logs or the audit trail', async () => {
  const user = await idp.seedUser('trace@example.com', { password: OLD });
  const { token } = await createLink(idp.deps, { purpose: 'magic_link', user, client: null, returnTo: null });
  const mistyped = 'my-password-in-the-wrong-field';
  const failed = checkPassword(idp.deps, { email: mistyped, password: OLD, address: '192.0.2.1' });
  await assert.rejects(failed, refusedWith('LOGIN_FAILED'));
  await takeLink(idp.deps, token, 'magic_link');
  const { items } = await idp.deps.audit.list({}, { cursor: null, limit: 200 });
  const kept = JSON.stringify(items) + idp.logged.join('');
  for (const secret of [token, mistyped, OLD]) assert.ok(!kept.includes(secret));
});
