import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { createSignInCookies } from '../../api/http/sign-in/sign-in-cookies.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { LoginTokens } from '../../domain/identity/code-login.ts';
import { createCookieSeal } from '../../web/session/cookie-seal.ts';
import { type ConsoleCookie, createSessions } from '../../web/session/sessions.ts';
import { startConsole, type TestConsole, testToken } from '../support/start-console.ts';

const KEY = Buffer.alloc(32, 1);

/** Sessions whose refreshes are counted, and wait for `release`. */
function createKept(options: { now?: () => Date; secure?: boolean } = {}) {
  const refreshed: string[] = [];
  let gate = Promise.resolve();
  let outcome: () => LoginTokens = () => tokens(refreshed.length + 1);
  const tokens = (number: number, expiresInSeconds = 3_600): LoginTokens => ({
    ...{ accessToken: testToken({}, number), expiresInSeconds, refreshToken: `refresh-${number}` },
  });
  const login = {
    refresh: async (token: string) => {
      refreshed.push(token);
      await gate;
      return outcome();
    },
    revoke: async () => undefined,
  };
  const cookies = createSignInCookies<ConsoleCookie>('fl-console', options.secure ?? false);
  const sessionsOf = (keys: readonly Buffer[]) =>
    createSessions({
      login,
      seal: createCookieSeal(createSecretCipher(keys)),
      cookies,
      now: options.now ?? (() => new Date()),
    });
  return {
    refreshed,
    tokens,
    sessionsOf,
    sessions: sessionsOf([KEY]),
    setGate: (next: Promise<void>) => {
      gate = next;
    },
    setOutcome: (next: () => LoginTokens) => {
      outcome = next;
    },
  };
}

/** What a browser sends back of these `Set-Cookie` values. */
function kept(lines: readonly string[]): { cookies: Record<string, string> } {
  const pairs = lines.map((line) => /^([^=]+)=([^;]*)/.exec(line)?.slice(1, 3) ?? []);
  return { cookies: Object.fromEntries(pairs) };
}

describe('sessions of the console', () => {
  it('keep nothing of a token readable, and open for the purpose alone that they were sealed for', async () => {
    const { sessions, tokens } = createKept();
    const lines = sessions.begin(tokens(1));
    const { cookies } = kept(lines);
    assert.ok(!lines.some((line) => line.includes('refresh-1') || line.includes(testToken({}, 1))));
    assert.ok(lines.every((line) => /HttpOnly/i.test(line) && /SameSite=Lax/i.test(line)));
    assert.equal((await sessions.open({ cookies }))?.person.email, 'ann@acme.example');
    // The one sealed text in the place of the other.
    const swapped = { 'fl-console-session': cookies['fl-console-access'] ?? '' };
    assert.equal(await sessions.open({ cookies: swapped }), null);
    const first = cookies['fl-console-session'] ?? '';
    const changed = `${first.slice(0, -2)}${first.endsWith('AA') ? 'BB' : 'AA'}`;
    assert.equal(await sessions.open({ cookies: { 'fl-console-session': changed } }), null);
  });

  it('over https are cookies that no other host of the domain can plant', () => {
    const { sessions, tokens } = createKept({ secure: true });
    for (const line of sessions.begin(tokens(1))) assert.match(line, /^__Host-fl-console-.*Path=\/; .*Secure/i);
  });

  it('take the access token of no other session', async () => {
    const { sessions, tokens, refreshed } = createKept();
    const mine = kept(sessions.begin(tokens(1))).cookies;
    const theirs = kept(sessions.begin({ ...tokens(2), accessToken: testToken({ userId: 'usr_eve' }) })).cookies;
    const mixed = { ...mine, 'fl-console-access': theirs['fl-console-access'] ?? '' };
    const session = await sessions.open({ cookies: mixed });
    assert.equal(session?.person.userId, 'usr_ann');
    assert.deepEqual(refreshed, ['refresh-1'], 'what is not of this session is got anew');
  });

  it('refresh once for all requests that a browser makes at once, and for one that comes late', async () => {
    const { sessions, tokens, refreshed, setGate } = createKept();
    const cookies = kept(sessions.begin(tokens(7, 0))).cookies;
    const gate = Promise.withResolvers<void>();
    setGate(gate.promise);
    const opening = Array.from({ length: 20 }, () => sessions.open({ cookies }));
    gate.resolve();
    const opened = await Promise.all(opening);
    assert.deepEqual(refreshed, ['refresh-7']);
    const late = await sessions.open({ cookies });
    assert.deepEqual(refreshed, ['refresh-7']);
    const all = new Set(await Promise.all([...opened, late].map((session) => session?.token())));
    assert.equal(all.size, 1);
    const next = await sessions.open(kept(opened[0]?.cookies() ?? []));
    assert.equal(await next?.token(), [...all][0]);
  });

  it('exchange a token that was refused, once for all that it was refused to', async () => {
    const { sessions, tokens, refreshed } = createKept();
    const { cookies } = kept(sessions.begin(tokens(7)));
    const [one, other] = await Promise.all([sessions.open({ cookies }), sessions.open({ cookies })]);
    const refused = await one?.token();
    const renewed = await Promise.all([one?.token(refused), one?.token(refused), other?.token(refused)]);
    assert.equal(new Set(renewed).size, 1);
    assert.notEqual(renewed[0], refused);
    assert.deepEqual(refreshed, ['refresh-7']);
  });

  it('end when the provider has ended the login, and not because it is away', async () => {
    const { sessions, tokens, setOutcome } = createKept();
    const { cookies } = kept(sessions.begin(tokens(1, 0)));
    setOutcome(() => {
      throw new FairleadError('UNAVAILABLE', 'away');
    });
    await assert.rejects(sessions.open({ cookies }), { code: 'UNAVAILABLE' });
    setOutcome(() => {
      throw new FairleadError('UNAUTHORIZED', 'ended');
    });
    await assert.rejects(sessions.open({ cookies }), { code: 'UNAUTHORIZED' });
    setOutcome(() => tokens(9));
    assert.ok(await sessions.open({ cookies }), 'a refresh that failed is not kept');
  });

  it('outlive a change of the key as long as the earlier one is listed, and no longer', async () => {
    const { sessions, tokens, sessionsOf } = createKept();
    const { cookies } = kept(sessions.begin(tokens(1)));
    const next = Buffer.alloc(32, 2);
    assert.ok(await sessionsOf([next, KEY]).open({ cookies }));
    assert.equal(await sessionsOf([next]).open({ cookies }), null);
  });
});

describe('signing in to the console', () => {
  let console: TestConsole;
  before(async () => {
    console = await startConsole({ person: { platformRoles: ['super_admin'] } });
  });
  after(() => console.stop());

  it('leads to no page but one of the console', async () => {
    for (const to of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/%5cevil',
      'javascript:alert(1)',
      '/a b',
      '/sign-in',
      '/\t/evil.example',
    ]) {
      const browser = console.browse();
      const back = await browser.signIn(to);
      const target = back.headers.get('location') ?? '';
      assert.equal(new URL(target, console.address).origin, console.address, to);
      assert.ok(target === '/' || target === to, `${to} led to ${target}`);
    }
  });

  it('takes no callback that it did not begin in this browser', async () => {
    const browser = console.browse();
    const forged = await browser.get('/api/auth/callback?code=code&state=state');
    assert.equal(forged.status, 401);
    assert.equal(browser.cookies.size, 0);
  });

  it('begins a session of its own each time: nothing that was planted before is taken over', async () => {
    const browser = console.browse();
    await browser.signIn();
    const planted = browser.cookies.get('fl-console-session');
    await browser.signIn();
    assert.notEqual(browser.cookies.get('fl-console-session'), planted);
    const other = console.browse();
    other.cookies.set('fl-console-session', 'planted');
    await other.signIn();
    assert.notEqual(other.cookies.get('fl-console-session'), 'planted');
  });

  it('out of it revokes the login at the provider and forgets the cookies', async () => {
    const browser = console.browse();
    await browser.signIn();
    const before = console.provider.revoked.length;
    const out = await browser.submit('/style-guide', '/sign-out');
    assert.deepEqual([out.status, out.headers.get('location')], [303, '/signed-out']);
    assert.equal(console.provider.revoked.length, before + 1);
    assert.equal(browser.cookies.size, 0);
    assert.match((await browser.get('/signed-out')).text, /signed out of the console/);
    assert.equal((await browser.get('/')).status, 303);
  });
});

describe('a form of the console', () => {
  let console: TestConsole;
  before(async () => {
    console = await startConsole({ person: { platformRoles: ['super_admin'] } });
  });
  after(() => console.stop());

  it('is refused from another site, without the token, and with the token of another session', async () => {
    const browser = console.browse();
    await browser.signIn();
    const stranger = console.browse();
    await stranger.signIn();
    const theirs = /name="csrf" value="([^"]+)"/.exec((await stranger.get('/style-guide')).text)?.[1] ?? '';
    const send = (fields: Record<string, string>, headers: Record<string, string>) =>
      browser.submit('/style-guide', '/style-guide', { word: 'harbour', ...fields }, headers);
    const rows: readonly [string, Record<string, string>, Record<string, string>][] = [
      ['another origin', {}, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
      ['an origin that hides itself', {}, { origin: 'null' }],
      ['another site by its own word', {}, { 'sec-fetch-site': 'same-site' }],
      ['no token', { csrf: '' }, {}],
      ['the token of another session', { csrf: theirs }, {}],
    ];
    for (const [name, fields, headers] of rows) {
      const { status, text } = await send(fields, headers);
      assert.equal(status, 403, name);
      assert.doesNotMatch(text, /harbour/);
    }
    assert.equal((await send({}, {})).status, 303);
    const out = await browser.submit('/style-guide', '/sign-out', {}, { origin: 'https://evil.example' });
    assert.equal(out.status, 403, 'nobody is signed out by another site');
  });

  it('is on pages that run only what is ours, and that nothing frames', async () => {
    const browser = console.browse();
    await browser.signIn();
    const { headers, text } = await browser.get('/style-guide');
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]) {
      assert.ok(policy.includes(part), part);
    }
    assert.doesNotMatch(policy, /unsafe|data:|\*/);
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.doesNotMatch(text, /<[^>]+\s(style|on\w+)=/i, 'nothing inline');
    assert.doesNotMatch(text, /<script(?![^>]+src=)/i);
  });
});
