import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { revocationFeedOf } from '../../../domain/identity/revocation-feed.ts';
import { createTokenVerifier, type TokenVerifier, type TokenVerifierOptions } from '../../../sdk/index.ts';

import { untilRefused } from '../../support/denylist-reads.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { AUDIENCE, type Provider, startProvider } from './test-provider.ts';

const FEED = '/api/oauth/revocations';

describe('the denylist', () => {
  let provider: Provider;
  const opened: TokenVerifier[] = [];
  beforeEach(async () => {
    provider = await startProvider();
  });
  afterEach(async () => {
    for (const verifier of opened.splice(0)) verifier.close();
    await provider.stop();
  });
  const open = (options: Partial<TokenVerifierOptions> = {}): TokenVerifier => {
    const revocations = { clientId: 'orders-prod', clientSecret: 'flcs_s:e%c+ret' };
    const verifier = createTokenVerifier({ idpUrl: provider.url, audience: AUDIENCE, revocations, ...options });
    opened.push(verifier);
    return verifier;
  };
  const outcome = (verifier: TokenVerifier, token: string): Promise<string> =>
    verifier.verify(token).then(
      () => 'accepted',
      (error: { code: string; details?: { reason?: string } }) => error.details?.reason ?? error.code,
    );
  const polls = () => provider.count(FEED);

  it('ends a token that was accepted and cached, by each of its ids, with the next read', async () => {
    const verifier = open();
    const ids = [
      ['token', 'tok_a', { jti: 'tok_a' }],
      ['grant', 'grt_b', { gid: 'grt_b' }],
      ['session', 'ses_c', { sid: 'ses_c' }],
      ['user', 'usr_d', { sub: 'usr_d' }],
      ['client', 'client-e', { client_id: 'client-e' }],
    ] as const;
    for (const [kind, value, claims] of ids) {
      const token = await provider.sign(claims);
      const bystander = await provider.sign({ sub: 'usr_z', gid: 'grt_z', sid: 'ses_z' });
      assert.equal(await outcome(verifier, token), 'accepted');
      provider.revoke(kind, value);
      await untilRefused(async () => (await outcome(verifier, token)) === 'accepted', polls);
      assert.equal(await outcome(verifier, token), 'revoked', kind);
      assert.equal(await outcome(verifier, bystander), 'accepted', `a bystander of ${kind}`);
    }
  });

  it('is read twice a second, one read after the other', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const reads: (() => void)[] = [];
    const answered = () => Response.json(revocationFeedOf([], new Date(), String));
    const held = () => new Promise<Response>((resolve) => reads.push(() => resolve(answered())));
    open({ fetch: held });
    const nextTick = () => new Promise((done) => setImmediate(done));
    for (let read = 1; read <= 3; read += 1) {
      t.mock.timers.tick(1_900);
      await nextTick();
      assert.equal(reads.length, read, 'the next one waits for the answer');
      reads.at(-1)?.();
      await nextTick();
      t.mock.timers.tick(499);
      assert.equal(reads.length, read);
      t.mock.timers.tick(1);
      assert.equal(reads.length, read + 1);
    }
  });

  it('is read once for all verifiers of a process that follow it by the same credentials, until the last one closes', async () => {
    const [first, second] = [open(), open({ audience: 'billing-prod' })];
    const started = polls();
    await waitUntil('some reads', () => polls() >= started + 4);
    const before = performance.now();
    const counted = polls();
    await waitUntil('some more', () => polls() >= counted + 4);
    // One each half second; two that read for themselves would take half as long.
    assert.ok(performance.now() - before > 1_400, 'both read');
    first.close();
    assert.equal(await outcome(first, await provider.sign({})), 'UNAVAILABLE');
    const token = await provider.sign({ aud: 'billing-prod', jti: 'tok_late' });
    assert.equal(await outcome(second, token), 'accepted');
    provider.revoke('token', 'tok_late');
    await untilRefused(async () => (await outcome(second, token)) === 'accepted', polls);
    second.close();
    second.close();
    const left = polls();
    await new Promise((wake) => setTimeout(wake, 1_200));
    assert.ok(polls() <= left + 1, 'it is read no more');
    const again = open();
    assert.equal(await outcome(again, await provider.sign({})), 'accepted');
  });

  it('is read for itself by who has other credentials, or accepts what may be revoked', async () => {
    open();
    open({ staleRevocations: 'accept' });
    open({ revocations: { clientId: 'billing-prod', clientSecret: 'flcs_other' } });
    open({ revocations: { internalKey: 'internal' } });
    const readers = () =>
      provider.seen
        .filter(({ path }) => path === FEED)
        .map(({ headers }) => headers.authorization ?? headers['x-internal-key']);
    await waitUntil('each has read', () => new Set(readers()).size === 3 && readers().length >= 4);
    const [first] = readers();
    assert.ok(readers().filter((each) => each === first).length >= 2);
  });

  it('tells a verifier that comes later of the keys that were withdrawn before', async () => {
    const first = open();
    const token = await provider.sign();
    assert.equal(await outcome(first, token), 'accepted');
    provider.withdrawnKeys.push('key_1');
    await untilRefused(async () => (await outcome(first, token)) === 'accepted', polls);
    // It cannot have read by itself yet.
    assert.equal(await outcome(open(), token), 'unknown-key');
  });

  it('does not touch what was issued after the revocation, nor another kind of the same value', async () => {
    const verifier = open();
    const now = Math.floor(Date.now() / 1000);
    provider.revoke('user', 'usr_1', new Date((now - 60) * 1000));
    provider.revoke('session', 'grt_9', new Date());
    const asked = polls();
    await waitUntil('the entry to be read', () => polls() >= asked + 2);
    assert.equal(await outcome(verifier, await provider.sign({ iat: now - 60 })), 'revoked');
    assert.equal(await outcome(verifier, await provider.sign({ iat: now - 59 })), 'accepted');
    assert.equal(await outcome(verifier, await provider.sign({ gid: 'grt_9' })), 'accepted');
  });

  it('voids what carries the id of a token, a login or a session that is over, whenever it was issued', async () => {
    const verifier = open();
    const now = Math.floor(Date.now() / 1000);
    provider.revoke('grant', 'grt_over', new Date((now - 60) * 1000));
    provider.revoke('session', 'ses_over', new Date((now - 60) * 1000));
    provider.revoke('token', 'tok_over', new Date((now - 60) * 1000));
    const asked = polls();
    await waitUntil('the entries to be read', () => polls() >= asked + 2);
    for (const claims of [{ gid: 'grt_over' }, { sid: 'ses_over' }, { jti: 'tok_over' }]) {
      assert.equal(await outcome(verifier, await provider.sign({ iat: now, ...claims })), 'revoked');
    }
  });

  it('shows an entry that became visible half a minute after its time', async () => {
    const verifier = open();
    const token = await provider.sign({ jti: 'tok_late' });
    assert.equal(await outcome(verifier, token), 'accepted');
    await waitUntil('three polls', () => polls() >= 3);
    const made = new Date(Date.now() - 30_000);
    const expiresAt = new Date(Date.now() + 3_600_000);
    provider.revocations.push({ kind: 'token', value: 'tok_late', issuedUntil: made, revokedAt: made, expiresAt });
    await untilRefused(async () => (await outcome(verifier, token)) === 'accepted', polls);
  });

  it('is known before the first token is judged', async () => {
    const token = await provider.sign();
    provider.revoke('user', 'usr_1');
    const held = Promise.withResolvers<void>();
    provider.gate = held.promise;
    const judged = outcome(open(), token);
    held.resolve();
    assert.equal(await judged, 'revoked');
  });

  it('is asked for with the client’s form-encoded credentials, all of it once, and then what is new', async () => {
    const openedAt = Date.now();
    open();
    await waitUntil('three polls', () => polls() >= 3);
    const [first, second] = provider.seen;
    const credentials = Buffer.from('orders-prod:flcs_s%3Ae%25c%2Bret').toString('base64');
    assert.equal(first?.headers.authorization, `Basic ${credentials}`);
    assert.equal(first?.path, FEED);
    const since = new Date(new URL(second?.path ?? '', 'http://x').searchParams.get('since') ?? 0).getTime();
    assert.ok(since >= openedAt - 60_000 && since <= Date.now() - 60_000, 'a minute is asked for again');
  });

  it('that is away for more than a second makes tokens UNAVAILABLE, and good again with its first answer', async () => {
    const start = Date.now();
    let laterMs = 0;
    const verifier = open({ clock: () => new Date(start + laterMs) });
    const token = await provider.sign();
    assert.equal(await outcome(verifier, token), 'accepted');
    provider.broken.set(FEED, 503);
    const before = polls();
    await waitUntil('two failed polls', () => polls() >= before + 2);
    laterMs = 900;
    assert.equal(await outcome(verifier, token), 'accepted', 'a short absence is bridged');
    laterMs = 1_100;
    assert.equal(await outcome(verifier, token), 'UNAVAILABLE', 'what was revoked meanwhile is not known');
    laterMs = -3_600_000;
    assert.equal(await outcome(verifier, token), 'UNAVAILABLE', 'a clock that was set back makes nothing fresh');
    laterMs = 1_100;
    provider.broken.delete(FEED);
    const failed = polls();
    await waitUntil('a poll to be answered', () => polls() >= failed + 2);
    assert.equal(await outcome(verifier, token), 'accepted');
  });

  it('that missed one answer refuses nothing: the token is judged by the next one', async () => {
    const start = Date.now();
    let laterMs = 0;
    const verifier = open({ clock: () => new Date(start + laterMs) });
    const token = await provider.sign();
    assert.equal(await outcome(verifier, token), 'accepted');
    provider.broken.set(FEED, 503);
    const before = polls();
    await waitUntil('a failed poll', () => polls() >= before + 1);
    laterMs = 1_100;
    assert.equal(await outcome(verifier, token), 'UNAVAILABLE');
    const asked = polls();
    for (let again = 0; again < 20; again += 1) assert.equal(await outcome(verifier, token), 'UNAVAILABLE');
    assert.ok(polls() <= asked + 1, 'a provider that is away is not asked for every token');
    provider.broken.delete(FEED);
    laterMs = 1_300;
    assert.equal(await outcome(verifier, token), 'accepted');
  });

  it('that was never read refuses every token', async () => {
    provider.broken.set(FEED, 401);
    assert.equal(await outcome(open(), await provider.sign()), 'UNAVAILABLE');
  });

  it('is read again before a token is verified when the process was suspended', async () => {
    let laterMs = 0;
    const verifier = open({ clock: () => new Date(Date.now() + laterMs) });
    const token = await provider.sign();
    assert.equal(await outcome(verifier, token), 'accepted');
    provider.revoke('token', String((await verifier.verify(token)).claims.jti));
    laterMs = 3_000_000;
    assert.equal(await outcome(verifier, token), 'revoked');
  });

  it('may be forgone while it is away, by those who say so, and what was last known still counts', async () => {
    let laterMs = 0;
    const verifier = open({ staleRevocations: 'accept', clock: () => new Date(Date.now() + laterMs) });
    const token = await provider.sign({ jti: 'tok_old' });
    provider.revoke('token', 'tok_old');
    const before = polls();
    await waitUntil('the entry to be read', () => polls() >= before + 2);
    provider.broken.set(FEED, 503);
    laterMs = 60_000;
    assert.equal(await outcome(verifier, await provider.sign()), 'accepted');
    assert.equal(await outcome(verifier, token), 'revoked');
  });

  it('is not followed after close, and nothing is accepted any more', async () => {
    const verifier = open();
    const token = await provider.sign();
    await verifier.verify(token);
    verifier.close();
    const asked = polls();
    assert.equal(await outcome(verifier, token), 'UNAVAILABLE');
    await new Promise((done) => setTimeout(done, 1_200));
    assert.ok(polls() <= asked + 1, 'a poll under way at most');
  });

  it('keeps no process alive', async () => {
    const entry = new URL('../../../sdk/index.ts', import.meta.url).href;
    const script = `import { createTokenVerifier } from '${entry}';
      createTokenVerifier({ idpUrl: '${provider.url}', audience: 'x', revocations: { internalKey: 'k' } });
      setTimeout(() => console.log('done'), 1500);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const limit = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const [code] = await once(child, 'exit');
    clearTimeout(limit);
    assert.equal(code, 0);
  });
});
