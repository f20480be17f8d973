import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createSigningKeys } from '../../../sdk/auth/signing-keys.ts';
import { createTokenVerifier, type TokenVerifier } from '../../../sdk/index.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { AUDIENCE, type Provider, startProvider } from './test-provider.ts';

const JWKS = '/.well-known/jwks.json';

describe('the key set', () => {
  let provider: Provider;
  let verifier: TokenVerifier;
  let laterMs: number;
  beforeEach(async () => {
    provider = await startProvider();
    laterMs = 0;
    const clock = () => new Date(Date.now() + laterMs);
    verifier = createTokenVerifier({ idpUrl: provider.url, audience: AUDIENCE, revocations: 'off', clock });
  });
  afterEach(async () => {
    verifier.close();
    await provider.stop();
  });
  const far = { exp: Math.floor(Date.now() / 1000) + 86_400 };

  it('is read once, however many tokens come at once', async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, () => provider.sign()));
    await Promise.all(tokens.map((token) => verifier.verify(token)));
    assert.equal(provider.count(JWKS), 1);
  });

  it('is read again for an unknown key, once for all concurrent callers', async () => {
    await verifier.verify(await provider.sign());
    await provider.addKey('key_2');
    laterMs = 6_000;
    const tokens = await Promise.all(Array.from({ length: 50 }, () => provider.sign({}, {}, 'key_2')));
    await Promise.all(tokens.map((token) => verifier.verify(token)));
    assert.equal(provider.count(JWKS), 2);
  });

  it('is asked a bounded number of times by a flood of invented keys, and good tokens pass meanwhile', async () => {
    const good = await provider.sign();
    await verifier.verify(good);
    const [, payload, signature] = good.split('.');
    for (let round = 0; round < 3; round++) {
      laterMs += 6_000;
      const flood = Array.from({ length: 2_000 }, (_, index) => {
        const header = { alg: 'RS256', typ: 'at+jwt', kid: `made-up-${round}-${index}` };
        return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.${signature}`;
      });
      const outcomes = await Promise.allSettled([
        ...flood.map((token) => verifier.verify(token)),
        verifier.verify(good),
      ]);
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    }
    assert.equal(provider.count(JWKS), 1 + 3);
  });

  it('is not asked again for a kid found unknown in it', async () => {
    await verifier.verify(await provider.sign());
    const unknown = await provider.sign({}, { kid: 'made-up' });
    for (let round = 0; round < 5; round++) {
      laterMs += 6_000;
      await assert.rejects(verifier.verify(unknown), { code: 'UNAUTHORIZED' });
    }
    assert.ok(provider.count(JWKS) <= 3, `${provider.count(JWKS)} reads`);
  });

  it('is asked once more for a key that came right after a read: its tokens are refused for seconds, not for a minute', async () => {
    await verifier.verify(await provider.sign());
    await provider.addKey('key_2');
    const token = await provider.sign(far, {}, 'key_2');
    await assert.rejects(verifier.verify(token), { details: { reason: 'unknown-key' } });
    laterMs = 6_000;
    await verifier.verify(token);
    assert.equal(provider.count(JWKS), 2);
  });

  it('that lost a key: its tokens are refused, the ones known from before as well', async () => {
    const token = await provider.sign(far);
    await verifier.verify(token);
    await provider.addKey('key_2');
    provider.keys.delete('key_1');
    laterMs = 121_000;
    await assert.rejects(verifier.verify(token), { details: { reason: 'unknown-key' } });
  });

  it('whose kid stands for another key now: tokens of the old one are refused', async () => {
    const token = await provider.sign(far);
    await verifier.verify(token);
    await provider.addKey('key_1');
    laterMs = 121_000;
    await assert.rejects(verifier.verify(token), { details: { reason: 'signature' } });
    await verifier.verify(await provider.sign(far));
  });

  it('stays in use while the provider is down, and is updated when it is back', async () => {
    await verifier.verify(await provider.sign(far));
    provider.broken.set(JWKS, 503);
    laterMs = 3_600_000;
    await verifier.verify(await provider.sign(far));
    provider.broken.delete(JWKS);
    await provider.addKey('key_2');
    laterMs += 10_000;
    await verifier.verify(await provider.sign(far, {}, 'key_2'));
  });

  it('that cannot be read at first makes tokens UNAVAILABLE, not bad, and costs few questions', async () => {
    provider.broken.set(JWKS, 503);
    const token = await provider.sign();
    for (let index = 0; index < 20; index++) {
      await assert.rejects(verifier.verify(token), { code: 'UNAVAILABLE', retryable: true });
    }
    assert.ok(provider.count(JWKS) <= 3, `${provider.count(JWKS)} reads`);
    provider.broken.delete(JWKS);
    laterMs = 1_000;
    await verifier.verify(token);
  });

  it('is read again by a timer, so that a key which went away is known without a token of it', async () => {
    const keys = createSigningKeys({ idpUrl: provider.url, fetch, clock: () => new Date(), rereadMs: 10 });
    assert.ok(await keys.find('key_1'));
    await provider.addKey('key_2');
    provider.keys.delete('key_1');
    const before = provider.count(JWKS);
    // Nobody asks for a key meanwhile. The first of two reads may have begun before.
    await waitUntil('two more reads', () => provider.count(JWKS) >= before + 2);
    await waitUntil('the key to be gone', () => keys.known('key_1') === null, { withinMs: 5_000 });
    assert.ok(keys.known('key_2'));
    keys.close();
    const reads = provider.count(JWKS);
    assert.ok(await keys.find('key_2'));
    assert.equal(provider.count(JWKS), reads);
  });

  it('that still has a withdrawn key verifies nothing by it, and is read at once for the key in its place', async () => {
    const keys = createSigningKeys({ idpUrl: provider.url, fetch, clock: () => new Date() });
    assert.ok(await keys.find('key_1'));
    await provider.addKey('key_2');
    keys.withdraw(['key_1']);
    assert.equal(keys.known('key_1'), null);
    await waitUntil('the next key', () => keys.known('key_2') !== null);
    const reads = provider.count(JWKS);
    keys.withdraw(['key_1']);
    keys.withdraw([]);
    assert.deepEqual([keys.known('key_1'), await keys.find('key_1'), keys.isWithdrawn('key_1')], [null, null, true]);
    assert.equal(provider.count(JWKS), reads, 'what is known is no news');
    keys.close();
  });

  it('without a usable key does not put the known ones out of use', async () => {
    await verifier.verify(await provider.sign(far));
    const [key] = provider.keys.values();
    provider.keys.clear();
    laterMs = 121_000;
    assert.ok(key !== undefined);
    provider.keys.set('key_1', { ...key, publicJwk: { ...key.publicJwk, alg: 'RS512' as 'RS256' } });
    const { privateKey } = key;
    provider.keys.set('signer', { privateKey, publicJwk: { ...key.publicJwk, use: 'enc' as 'sig', kid: 'signer' } });
    await verifier.verify(await provider.sign(far));
  });
});
