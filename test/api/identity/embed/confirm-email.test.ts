import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertNotLogged } from '../../../support/not-logged.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { fiftyAtOnce, type Headless, ORIGIN, PASSWORD, seedHeadless } from './embed-fixture.ts';

let idp: TestIdp;
let acme: Headless;

before(async () => {
  idp = await startIdp({ database: 'server' });
  const mailTemplates = { email_verification: { subject: 'Is it you, {{name}}?', text: 'Tell us: {{link}}' } };
  acme = await seedHeadless(idp, 'acme', { mailTemplates });
});
after(() => idp.stop());

/** Somebody with an unconfirmed address, signed in at the client. */
async function signedIn(email: string, at: Headless = acme) {
  const user = await idp.seedUser(email, { password: PASSWORD, org: 'acme', fields: { emailVerified: false } });
  const { status, body, text } = await at.call('login', { email, password: PASSWORD });
  assert.equal(status, 200, text);
  assert.equal(body.user.emailVerified, false);
  return { user, access_token: body.access_token as string };
}

/** Asks for a link. @returns its address, and the token that it carries; undefined without a mail */
async function ask(email: string, json: Record<string, unknown> = { confirmBaseUrl: `${ORIGIN}/confirm` }, at = acme) {
  const before = idp.mailbox.length;
  const answer = await at.call('send-confirmation', { email, ...json });
  assert.deepEqual([answer.status, answer.body], [200, { sent: true }]);
  await idp.deps.mailQueue.idle();
  const mail = idp.mailbox.slice(before).find(({ to }) => to === email);
  const link = /https?:\S+/.exec(mail?.text ?? '')?.[0];
  return link === undefined ? null : { link, token: new URL(link).searchParams.get('token') ?? '', mail };
}

const isVerified = async (id: string) => (await idp.deps.users.find(id))?.emailVerified;

test('a person who is signed in at the client confirms their address by a mailed link, once of fifty', async () => {
  const { user, access_token } = await signedIn('ada@example.com');
  const sent = await ask(user.email);
  assert.ok(sent !== null);
  assert.ok(sent.link.startsWith(`${ORIGIN}/confirm?token=`));
  assert.equal(sent.mail?.subject, 'Is it you, Ada?');
  const counts = await fiftyAtOnce(() => acme.call('confirm-email', { token: sent.token, access_token }));
  assert.deepEqual(counts, { '200 ok': 1, '400 LINK_INVALID': 49 });
  assert.equal(await isVerified(user.id), true);
  const login = await acme.call('login', { email: user.email, password: PASSWORD });
  assert.deepEqual([login.status, login.body.user.emailVerified], [200, true], 'the password is the same');
  assertNotLogged(idp.logged, '/api/embed/confirm-email', [sent.token]);
});

test('the answer is the same for who is there, who is not, who is confirmed and who is suspended', async () => {
  await idp.seedUser('proven@example.com', { org: 'acme' });
  const gone = { suspendedAt: new Date(), emailVerified: false };
  await idp.seedUser('gone@example.com', { org: 'acme', fields: gone });
  for (const email of ['nobody@example.com', 'proven@example.com', 'gone@example.com']) {
    assert.equal(await ask(email), null, `${email} is sent nothing`);
  }
});

test('the link alone confirms nothing: it takes the person, at the same client, with a token that lives', async () => {
  const rival = await seedHeadless(idp, 'rival');
  const { user, access_token } = await signedIn('careful@example.com');
  const stranger = await signedIn('stranger@example.com');
  const elsewhere = await rival.call('login', { email: user.email, password: PASSWORD });
  const sent = await ask(user.email);
  assert.ok(sent !== null);
  const outcome = async (json: unknown, at = acme) => {
    const { status, body } = await at.call('confirm-email', json);
    return `${status} ${body.error?.code}`;
  };
  const { token } = sent;
  assert.equal(await outcome({ token }), '400 VALIDATION_FAILED');
  assert.equal(await outcome({ token, access_token: 'x' }), '401 UNAUTHORIZED');
  assert.equal(await outcome({ token, access_token: elsewhere.body.access_token }), '401 UNAUTHORIZED');
  assert.equal(await outcome({ token, access_token: stranger.access_token }), '400 LINK_INVALID');
  assert.equal(await outcome({ token, access_token: elsewhere.body.access_token }, rival), '400 LINK_INVALID');
  const service = await idp.call('POST', '/api/oauth/token', {
    json: { grant_type: 'client_credentials', client_id: acme.clientId, client_secret: acme.secret },
  });
  assert.equal(await outcome({ token, access_token: service.body.access_token }), '401 UNAUTHORIZED');
  assert.equal(await isVerified(user.id), false);
  assert.equal((await acme.call('confirm-email', { token, access_token })).status, 200, 'and none of that used it up');
});

test('a link works for nothing else, and nothing else for it', async () => {
  const { user, access_token } = await signedIn('mixed@example.com');
  const token = (await ask(user.email))?.token ?? '';
  assert.equal((await acme.call('verify', { token })).body.error.code, 'LINK_INVALID');
  assert.equal((await acme.call('reset-password', { token, password: PASSWORD })).body.error.code, 'LINK_INVALID');
  const before = idp.mailbox.length;
  await acme.call('magic-link', { email: user.email, verifyBaseUrl: `${ORIGIN}/in` });
  await idp.deps.mailQueue.idle();
  const magic = /token=(\S+)/.exec(idp.mailbox[before]?.text ?? '')?.[1];
  const { body } = await acme.call('confirm-email', { token: magic, access_token });
  assert.equal(body.error.code, 'LINK_INVALID');
});

test('without a page of the client’s the link leads to the provider’s, and a page of somebody else is refused', async () => {
  const { user, access_token } = await signedIn('own-page@example.com');
  const sent = await ask(user.email, {});
  assert.ok(sent !== null);
  assert.ok(sent.link.startsWith(`${idp.issuer}/account/confirm?token=`));
  assert.equal((await acme.call('confirm-email', { token: sent.token, access_token })).status, 200);
  const evil = await acme.call('send-confirmation', { email: user.email, confirmBaseUrl: 'https://evil.example/' });
  assert.deepEqual([evil.status, evil.body.error.code], [400, 'VALIDATION_FAILED']);
});

test('five mails in a quarter of an hour, and one link at a time', async () => {
  const { user, access_token } = await signedIn('eager@example.com');
  const tokens: string[] = [];
  for (let times = 0; times < 8; times += 1) tokens.push((await ask(user.email))?.token ?? '');
  const sent = tokens.filter((token) => token !== '');
  assert.equal(sent.length, 5);
  assert.equal((await acme.call('confirm-email', { token: sent[0], access_token })).body.error.code, 'LINK_INVALID');
  assert.equal((await acme.call('confirm-email', { token: sent[4], access_token })).status, 200);
});
