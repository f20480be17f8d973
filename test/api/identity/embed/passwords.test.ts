import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertNotLogged } from '../../../support/not-logged.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { fiftyAtOnce, type Headless, ORIGIN, PASSWORD, seedHeadless } from './embed-fixture.ts';

let idp: TestIdp;
let acme: Headless;
const NEW_PASSWORD = 'another sentence altogether';

before(async () => {
  idp = await startIdp({ database: 'server' });
  acme = await seedHeadless(idp, 'acme');
});
after(() => idp.stop());

/** A person made by the provisioning call of the platform. */
async function provision(email: string): Promise<string> {
  const made = await idp.call('POST', '/api/v2/orgs/acme/users', {
    json: { email, firstName: 'Pro', lastName: 'Visioned' },
    headers: idp.internal,
  });
  assert.equal(made.status, 201, made.text);
  return made.body.data.userId;
}

async function auditTypes(subject: string): Promise<string[]> {
  const { items } = await idp.deps.audit.list({ subject }, { cursor: null, limit: 50 });
  return items.map(({ type }) => type);
}

test('a reset token is handed to the client that manages the person, works once and ends the old logins', async () => {
  const user = await idp.seedUser('ada@example.com', { password: PASSWORD, org: 'acme' });
  const before = await acme.call('login', { email: user.email, password: PASSWORD });
  const handed = await acme.call('forgot-password', {
    email: 'ADA@example.com',
    sendEmail: false,
    resetBaseUrl: `${ORIGIN}/reset`,
  });
  assert.equal(handed.status, 200, handed.text);
  const { resetToken, resetUrl, expiresAt, ...rest } = handed.body;
  assert.deepEqual(rest, { sent: false });
  assert.equal(resetUrl, `${ORIGIN}/reset?token=${resetToken}`);
  const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000;
  assert.ok(minutes > 29 && minutes <= 30, String(minutes));
  assert.ok((await auditTypes(user.id)).includes('user.reset_token_handed'));

  const weak = await acme.call('reset-password', { token: resetToken, password: 'password123' });
  assert.deepEqual([weak.status, weak.body.error.code], [400, 'PASSWORD_REFUSED']);
  const other = await seedHeadless(idp, 'other');
  const foreign = await other.call('reset-password', { token: resetToken, password: NEW_PASSWORD });
  assert.equal(foreign.body.error.code, 'LINK_INVALID');
  const counts = await fiftyAtOnce(() => acme.call('reset-password', { token: resetToken, password: NEW_PASSWORD }));
  assert.deepEqual(counts, { '200 ok': 1, '400 LINK_INVALID': 49 });

  assert.equal((await acme.call('login', { email: user.email, password: PASSWORD })).status, 401);
  assert.equal((await acme.call('login', { email: user.email, password: NEW_PASSWORD })).status, 200);
  const stale = await acme.call('refresh', { refresh_token: before.body.refresh_token });
  assert.equal(stale.body.error.code, 'OAUTH_INVALID_GRANT');
  assertNotLogged(idp.logged, '/api/embed/reset-password', [resetToken]);
});

test('a newer token voids the one before, and one expires after half an hour', async () => {
  const user = await idp.seedUser('newest@example.com', { password: PASSWORD, org: 'acme' });
  const ask = async () => (await acme.call('forgot-password', { email: user.email, sendEmail: false })).body.resetToken;
  const [first, second] = [await ask(), await ask()];
  assert.equal((await acme.call('reset-password', { token: first, password: NEW_PASSWORD })).status, 400);
  idp.advance(30 * 60_000 + 1_000);
  assert.equal((await acme.call('reset-password', { token: second, password: NEW_PASSWORD })).status, 400);
});

test('handing tokens out needs the flag and the secret, and reaches nobody the client does not manage', async () => {
  const flagless = await seedHeadless(idp, 'flagless', { selfServiceEmail: false });
  const refused = await flagless.call('forgot-password', { email: 'ada@example.com', sendEmail: false });
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'SELF_SEND_REQUIRES_SECRET']);
  await idp.seedUser('root@example.com', { org: 'acme', platformRoles: ['super_admin'] });
  await idp.seedUser('stranger@example.com');
  await idp.seedUser('gone@example.com', { org: 'acme', fields: { suspendedAt: new Date() } });
  for (const email of ['root@example.com', 'stranger@example.com', 'gone@example.com', 'nobody@example.com']) {
    const { status, body } = await acme.call('forgot-password', { email, sendEmail: false });
    assert.deepEqual([status, body.error.code], [404, 'USER_NOT_FOUND'], email);
  }
});

test('an org that granted a client its people lets it reset them; withdrawing the grant ends that', async () => {
  await idp.seedOrg('customer');
  await idp.seedUser('member@example.com', { org: 'customer' });
  const ask = () => acme.call('forgot-password', { email: 'member@example.com', sendEmail: false });
  assert.equal((await ask()).status, 404);
  const path = `/api/v2/orgs/customer/grants/${acme.clientId}`;
  assert.equal((await idp.call('PUT', path, { headers: idp.internal })).status, 200);
  assert.equal((await ask()).status, 200);
  assert.equal((await idp.call('DELETE', path, { headers: idp.internal })).status, 200);
  assert.equal((await ask()).status, 404);
});

test('somebody who is in another org as well is not the client’s to reset, since it would open that org', async () => {
  await idp.seedOrg('bank');
  const user = await idp.seedUser('both@example.com', { org: 'acme' });
  const ask = () => acme.call('forgot-password', { email: user.email, sendEmail: false });
  const { resetToken } = (await ask()).body;
  const bank = '/api/v2/orgs/bank';
  await idp.call('PUT', `${bank}/members/${user.id}`, { headers: idp.internal, json: { roles: ['admin'] } });
  assert.equal((await ask()).status, 404);
  assert.equal((await acme.call('reset-password', { token: resetToken, password: NEW_PASSWORD })).status, 400);
  await idp.call('PUT', `${bank}/grants/${acme.clientId}`, { headers: idp.internal });
  assert.equal((await ask()).status, 200);
});

test('asking for a mail tells nothing, and leads people whom the client does not manage to the provider', async () => {
  await idp.seedUser('boss@example.com', { platformRoles: ['super_admin'] });
  await idp.seedUser('managed@example.com', { org: 'acme' });
  const texts: string[] = [];
  for (const email of ['boss@example.com', 'managed@example.com', 'missing@example.com']) {
    const { status, text } = await acme.call('forgot-password', { email, resetBaseUrl: `${ORIGIN}/reset` });
    assert.equal(status, 200);
    texts.push(text);
  }
  assert.deepEqual([...new Set(texts)], ['{"sent":true}']);
  await idp.deps.mailQueue.idle();
  const textTo = (email: string) => idp.mailbox.filter(({ to }) => to === email).map(({ text }) => text);
  assert.match(textTo('boss@example.com')[0] ?? '', new RegExp(`${idp.issuer}/login/reset\\?token=flot_`));
  assert.match(textTo('managed@example.com')[0] ?? '', /https:\/\/shop\.example\/reset\?token=flot_/);
  assert.deepEqual(textTo('missing@example.com'), []);
});

test('a provisioned account gets its first password once, of fifty at once', async () => {
  const userId = await provision('first@example.com');
  assert.equal((await acme.call('login', { email: 'first@example.com', password: PASSWORD })).status, 401);
  const weak = await acme.call('set-initial-password', {
    email: 'first@example.com',
    orgSlug: 'acme',
    password: 'short',
  });
  assert.equal(weak.body.error.code, 'PASSWORD_REFUSED');
  const set = (password: string) =>
    acme.call('set-initial-password', { email: 'first@example.com', orgSlug: 'acme', password });
  const counts = await fiftyAtOnce((index) => set(`${PASSWORD} ${index}`));
  assert.deepEqual(counts, { '200 ok': 1, '403 NOT_ELIGIBLE': 49 });
  assert.deepEqual(
    (await auditTypes(userId)).filter((type) => type.includes('initial')),
    ['user.initial_password_set'],
  );
  assert.equal((await idp.deps.users.find(userId))?.onboardingPending, null);
});

test('every account that is not eligible gets one answer', async () => {
  await idp.seedUser('ordinary@example.com', { password: PASSWORD, org: 'acme' });
  await provision('came@example.com');
  await acme.call('magic-link', { email: 'came@example.com' });
  await idp.deps.mailQueue.idle();
  const mail = idp.mailbox.findLast(({ to }) => to === 'came@example.com');
  const token = /token=([\w-]+)/.exec(mail?.text ?? '')?.[1];
  assert.equal((await acme.call('verify', { token })).status, 200);
  const suspended = await provision('suspended@example.com');
  await idp.call('POST', `/api/v2/users/${suspended}/suspend`, { headers: idp.internal });
  const removed = await provision('removed@example.com');
  await idp.call('DELETE', `/api/v2/orgs/acme/members/${removed}`, { headers: idp.internal });
  const paused = await provision('paused@example.com');
  await idp.call('POST', `/api/v2/orgs/acme/members/${paused}/suspend`, { headers: idp.internal });
  const shared = await provision('shared@example.com');
  await idp.seedOrg('second');
  const intoSecond = { headers: idp.internal, json: { roles: ['member'] } };
  await idp.call('PUT', `/api/v2/orgs/second/members/${shared}`, intoSecond);
  const elsewhere = await seedHeadless(idp, 'elsewhere');
  await provision('of-acme@example.com');
  const answers = [
    await acme.call('set-initial-password', initial('ordinary@example.com')),
    await acme.call('set-initial-password', initial('came@example.com')),
    await acme.call('set-initial-password', initial('suspended@example.com')),
    await acme.call('set-initial-password', initial('removed@example.com')),
    await acme.call('set-initial-password', initial('paused@example.com')),
    await acme.call('set-initial-password', initial('shared@example.com')),
    await acme.call('set-initial-password', initial('nobody-at-all@example.com')),
    await elsewhere.call('set-initial-password', { ...initial('of-acme@example.com'), orgSlug: 'elsewhere' }),
  ];
  for (const { status, text } of answers) assert.deepEqual([status, text], [403, answers[0]?.text]);
  assert.equal(answers[0]?.body.error.code, 'NOT_ELIGIBLE');
});

test('every field takes a string of bounded length and nothing else', async () => {
  const bodies = {
    'forgot-password': { email: 'a@example.com', resetBaseUrl: ORIGIN },
    'reset-password': { token: 'flot_x', password: PASSWORD },
    'set-initial-password': { email: 'a@example.com', orgSlug: 'acme', password: PASSWORD },
  };
  for (const [name, body] of Object.entries(bodies)) {
    for (const field of Object.keys(body)) {
      for (const value of [{ $gt: '' }, ['a'], 7, true, null, 'x'.repeat(5_000)]) {
        const { status } = await acme.call(name, { ...body, [field]: value });
        assert.equal(status, 400, `${name}.${field}: ${JSON.stringify(value).slice(0, 20)}`);
      }
    }
  }
  for (const sendEmail of ['false', 0, null, {}]) {
    assert.equal((await acme.call('forgot-password', { email: 'a@example.com', sendEmail })).status, 400);
  }
});

function initial(email: string) {
  return { email, orgSlug: 'acme', password: PASSWORD };
}
