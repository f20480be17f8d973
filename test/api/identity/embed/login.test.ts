import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeJwt } from 'jose';
import { Secret, TOTP } from 'otpauth';
import { takeLink } from '../../../../api/identity/login/one-time-links.ts';
import { createTotp, revealTotp } from '../../../../api/identity/login/second-factor.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { answerChallenge } from '../login/answer-challenge.ts';
import { fiftyAtOnce, type Headless, ORIGIN, PASSWORD, seedHeadless, signupBody } from './embed-fixture.ts';

let idp: TestIdp;
let acme: Headless;

before(async () => {
  idp = await startIdp({ database: 'server' });
  acme = await seedHeadless(idp, 'acme');
});
after(() => idp.stop());

/** The token of the newest mail to an address, once it was sent. */
async function mailedToken(email: string): Promise<string> {
  await idp.deps.mailQueue.idle();
  const mail = idp.mailbox.findLast(({ to }) => to === email);
  return /[?&]token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
}

/** Gives the person a code generator that is confirmed; returns what makes its codes. */
async function addTotp(user: UserRecord): Promise<(aheadSteps: number) => string> {
  const factor = createTotp(idp.deps, user.id);
  await idp.deps.users.setTotp(user.id, { ...factor, confirmedAt: new Date() });
  const { secret } = revealTotp(idp.deps, user, factor);
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return (aheadSteps) => totp.generate({ timestamp: idp.deps.now().getTime() + aheadSteps * 30_000 });
}

test('a login is for the client alone and says how it was made', async () => {
  const user = await idp.seedUser('ada@example.com', { password: PASSWORD, org: 'acme' });
  const { status, body } = await acme.call('login', { email: ' ADA@example.com ', password: PASSWORD });
  assert.equal(status, 200, JSON.stringify(body));
  const claims = decodeJwt(body.access_token);
  assert.deepEqual([claims.sub, claims.aud, claims.amr], [user.id, acme.clientId, ['pwd']]);
  assert.equal(body.user.identityId, user.id);
  assert.ok(body.refresh_token);
});

test('a mailed link to an unproven address takes the account from whoever made it there before', async () => {
  const planted = await idp.seedUser('victim@example.com', { password: PASSWORD, fields: { emailVerified: false } });
  await addTotp(planted);
  await acme.call('magic-link', { email: planted.email });
  const { status, body } = await acme.call('verify', { token: await mailedToken(planted.email) });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(decodeJwt(body.access_token).amr, ['email']);
  assert.equal((await acme.call('login', { email: planted.email, password: PASSWORD })).status, 401);
  const user = await idp.deps.users.find(planted.id);
  assert.deepEqual([user?.emailVerified, user?.totp], [true, null]);
});

test('an unknown account, a wrong password and a suspended person are told the same', async () => {
  await idp.seedUser('known@example.com', { password: PASSWORD });
  await idp.seedUser('out@example.com', { password: PASSWORD, fields: { suspendedAt: new Date() } });
  await idp.seedUser('none@example.com');
  const answers = [
    await acme.call('login', { email: 'known@example.com', password: 'wrong password' }),
    await acme.call('login', { email: 'unknown@example.com', password: PASSWORD }),
    await acme.call('login', { email: 'out@example.com', password: PASSWORD }),
    await acme.call('login', { email: 'none@example.com', password: PASSWORD }),
    await acme.call('login', { email: 'not an address', password: PASSWORD }),
    await acme.call('login', { email: 'persona+x@acme.personas.invalid', password: PASSWORD }),
  ];
  for (const { status, text } of answers) assert.deepEqual([status, text], [401, answers[0]?.text]);
});

test('ten failures lock an account, one that does not exist alike, until the window ends', async () => {
  await idp.seedUser('locked@example.com', { password: PASSWORD });
  for (const email of ['locked@example.com', 'not-there@example.com']) {
    const counts = await fiftyAtOnce(() => acme.call('login', { email, password: 'wrong password' }));
    assert.deepEqual(counts, { '401 LOGIN_FAILED': 10, '429 LOGIN_LOCKED': 40 }, email);
    const locked = await acme.call('login', { email, password: PASSWORD });
    assert.equal(locked.status, 429);
    const seconds = Number(locked.headers.get('retry-after'));
    assert.ok(seconds > 0 && seconds <= 900, String(seconds));
  }
  idp.advance(901_000);
  assert.equal((await acme.call('login', { email: 'locked@example.com', password: PASSWORD })).status, 200);
});

test('a success clears the failures of the account', async () => {
  await idp.seedUser('slip@example.com', { password: PASSWORD });
  for (let round = 0; round < 3; round += 1) {
    for (let failure = 0; failure < 6; failure += 1) {
      assert.equal((await acme.call('login', { email: 'slip@example.com', password: 'wrong one' })).status, 401);
    }
    assert.equal((await acme.call('login', { email: 'slip@example.com', password: PASSWORD })).status, 200);
  }
});

test("one person's address is limited over many accounts, and no other person of the same server with it", async () => {
  const userAddress = '203.0.113.7';
  const attempt = (index: number) =>
    acme.call('login', { email: `spray${index}@example.com`, password: PASSWORD, userAddress });
  for (let index = 0; index < 50; index += 1) assert.equal((await attempt(index)).status, 401);
  let refused = await attempt(50);
  for (let index = 51; refused.status === 401 && index < 70; index += 1) refused = await attempt(index);
  assert.deepEqual([refused.status, refused.body.error.code], [429, 'LOGIN_LOCKED']);
  const { challenge } = refused.body.error.details;
  await idp.seedUser('other@example.com', { password: PASSWORD });
  const other = { email: 'other@example.com', password: PASSWORD };
  assert.equal((await acme.call('login', other)).status, 200);
  assert.equal((await acme.call('login', { ...other, userAddress: '203.0.113.8' })).status, 200);
  const answered = { token: challenge.token, answer: answerChallenge(challenge) };
  assert.equal((await acme.call('login', { ...other, userAddress, challenge: answered })).status, 200);
});

test('successful logins do not count against an address', async () => {
  const userAddress = '2001:db8::7';
  await idp.seedUser('office@example.com', { password: PASSWORD });
  for (let index = 0; index < 55; index += 1) {
    const { status } = await acme.call('login', { email: 'office@example.com', password: PASSWORD, userAddress });
    assert.equal(status, 200, String(index));
  }
});

test('a second factor is asked for after the password, and each code works once', async () => {
  const user = await idp.seedUser('careful@example.com', { password: PASSWORD });
  const code = await addTotp(user);
  const body = { email: user.email, password: PASSWORD };
  const wrongPassword = await acme.call('login', { ...body, password: 'wrong password', otp: code(0) });
  assert.equal(wrongPassword.body.error.code, 'LOGIN_FAILED');
  const asked = await acme.call('login', body);
  assert.deepEqual([asked.status, asked.body.error.code], [401, 'SECOND_FACTOR_REQUIRED']);
  assert.equal((await acme.call('login', { ...body, otp: '000000' })).body.error.code, 'LOGIN_FAILED');
  const otp = code(0);
  const done = await acme.call('login', { ...body, otp });
  assert.equal(done.status, 200);
  assert.deepEqual(decodeJwt(done.body.access_token).amr, ['pwd', 'otp', 'mfa']);
  assert.equal((await acme.call('login', { ...body, otp })).status, 401);
});

test('a mailed link signs in once, at the client it was made for, on the page the client named', async () => {
  const user = await idp.seedUser('link@example.com', { fields: { emailVerified: false } });
  const verifyBaseUrl = `${ORIGIN}/signed-in?lang=en`;
  const sent = await acme.call('magic-link', { email: user.email, verifyBaseUrl });
  assert.deepEqual([sent.status, sent.body], [200, { sent: true }]);
  const token = await mailedToken(user.email);
  assert.match(idp.mailbox.at(-1)?.text ?? '', /https:\/\/shop\.example\/signed-in\?lang=en&token=flot_/);
  const other = await seedHeadless(idp, 'other');
  assert.equal((await other.call('verify', { token })).body.error.code, 'LINK_INVALID');
  const counts = await fiftyAtOnce(() => acme.call('verify', { token }));
  assert.deepEqual(counts, { '200 ok': 1, '400 LINK_INVALID': 49 });
  assert.equal((await idp.deps.users.find(user.id))?.emailVerified, true);
});

test("a link to a page of the client's begins no session at the provider, whoever brings it there", async () => {
  const user = await idp.seedUser('carried@example.com', { platformRoles: ['super_admin'] });
  await acme.call('magic-link', { email: user.email, verifyBaseUrl: `${ORIGIN}/signed-in` });
  const token = await mailedToken(user.email);
  assert.notEqual(token, '');
  assert.notEqual((await idp.call('GET', `/login/magic?token=${token}`)).status, 200);
  await assert.rejects(takeLink(idp.deps, token, 'magic_link'), /LINK_INVALID|already used/);
  assert.equal((await acme.call('verify', { token })).status, 200);
  // One to the provider's own page is for that page, and for the client it was asked for by.
  await acme.call('magic-link', { email: user.email });
  const own = await mailedToken(user.email);
  assert.equal((await idp.call('GET', `/login/magic?token=${own}`)).status, 200);
  assert.equal((await acme.call('verify', { token: own })).status, 200);
});

test('a link expires, and asking for a second factor does not use it up', async () => {
  const user = await idp.seedUser('two@example.com');
  const code = await addTotp(user);
  await acme.call('magic-link', { email: user.email });
  const token = await mailedToken(user.email);
  assert.equal((await acme.call('verify', { token })).body.error.code, 'SECOND_FACTOR_REQUIRED');
  assert.equal((await acme.call('verify', { token, otp: '000000' })).body.error.code, 'LOGIN_FAILED');
  const done = await acme.call('verify', { token, otp: code(0) });
  assert.deepEqual(decodeJwt(done.body.access_token).amr, ['email', 'otp', 'mfa']);
  await acme.call('magic-link', { email: user.email });
  const late = await mailedToken(user.email);
  idp.advance(15 * 60_000 + 1_000);
  assert.equal((await acme.call('verify', { token: late })).body.error.code, 'LINK_INVALID');
});

test('whoever asks for a link learns nothing, and cannot fill a mailbox', async () => {
  await idp.seedUser('quiet@example.com');
  const known = await acme.call('magic-link', { email: 'quiet@example.com' });
  for (const email of ['nobody@example.com', 'persona+x@acme.personas.invalid']) {
    const unknown = await acme.call('magic-link', { email });
    assert.deepEqual([unknown.status, unknown.text], [known.status, known.text]);
  }
  for (let index = 0; index < 10; index += 1) await acme.call('magic-link', { email: 'quiet@example.com' });
  await idp.deps.mailQueue.idle();
  assert.equal(idp.mailbox.filter(({ to }) => to === 'quiet@example.com').length, 5);
  assert.equal(idp.mailbox.filter(({ to }) => to !== 'quiet@example.com' && /nobody|persona/.test(to)).length, 0);
  // The last one that was sent still works: those that were not sent made no link.
  assert.equal((await acme.call('verify', { token: await mailedToken('quiet@example.com') })).status, 200);
});

test('links lead to pages of the client only', async () => {
  const pages = [
    'https://evil.example/x',
    'https://shop.example.evil.example/',
    'https://shop.example@evil.example/',
    'http://shop.example/x',
    'https://shop.example:8443/',
    'https://evil.example\\@shop.example/',
    'javascript:alert(1)',
    '//shop.example/',
    'https://shop.example/#x',
    'https://MY.shop.example.evil.example',
  ];
  for (const page of pages) {
    for (const [name, field] of [
      ['magic-link', 'verifyBaseUrl'],
      ['forgot-password', 'resetBaseUrl'],
    ] as const) {
      const { status } = await acme.call(name, { email: 'quiet@example.com', [field]: page });
      assert.equal(status, 400, page);
    }
  }
  assert.equal(
    (await acme.call('magic-link', { email: 'x@example.com', verifyBaseUrl: 'https://my.shop.example/a' })).status,
    200,
  );
});

test('a login by password is refreshed here, one by trusted sign-up at the token endpoint', async () => {
  await idp.seedUser('again@example.com', { password: PASSWORD });
  const { body } = await acme.call('login', { email: 'again@example.com', password: PASSWORD });
  const refreshed = await acme.call('refresh', { refresh_token: body.refresh_token });
  assert.equal(refreshed.status, 200, refreshed.text);
  assert.notEqual(refreshed.body.refresh_token, body.refresh_token);
  const foreign = await seedHeadless(idp, 'foreign');
  const stolen = await foreign.call('refresh', { refresh_token: refreshed.body.refresh_token });
  assert.deepEqual([stolen.status, stolen.body.error.code], [400, 'OAUTH_INVALID_GRANT']);

  const trusted = await acme.call('signup', signupBody('acme', 'trusted@example.com'));
  const refused = await acme.call('refresh', { refresh_token: trusted.body.refresh_token });
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'OAUTH_INVALID_GRANT']);
  assert.match(refused.body.error.message, /token endpoint/);
  const there = await idp.call('POST', '/api/oauth/token', {
    json: {
      grant_type: 'refresh_token',
      refresh_token: trusted.body.refresh_token,
      client_id: acme.clientId,
      client_secret: acme.secret,
    },
  });
  assert.equal(there.status, 200, there.text);
});

test('every field takes a string of bounded length and nothing else', async () => {
  const bodies = {
    login: { email: 'a@example.com', password: PASSWORD, otp: '123456', scope: 'openid', userAddress: '192.0.2.1' },
    'magic-link': { email: 'a@example.com', verifyBaseUrl: ORIGIN },
    verify: { token: 'flot_x', otp: '123456', scope: 'openid' },
    refresh: { refresh_token: 'x', scope: 'openid' },
  };
  for (const [name, body] of Object.entries(bodies)) {
    for (const field of Object.keys(body)) {
      for (const value of [{ $gt: '' }, ['a'], 7, true, null, 'x'.repeat(5_000)]) {
        const { status } = await acme.call(name, { ...body, [field]: value });
        assert.equal(status, 400, `${name}.${field}: ${JSON.stringify(value).slice(0, 20)}`);
      }
    }
  }
});
