import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { CompactSign, createLocalJWKSet, importPKCS8, jwtVerify, SignJWT } from 'jose';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { createKeyring } from '../../../adapters/jose/keyring.ts';
import { createSigningKeyFactory, sealContext } from '../../../adapters/jose/signing-key-factory.ts';
import { createSigningKeyStore } from '../../../adapters/mongo/identity/signing-keys.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { SigningKeyStore } from '../../../domain/identity/ports.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

const ISSUER = 'https://id.example';
const MINUTE_MS = 60_000;

describe('the keyring', () => {
  let mongo: TestMongo;
  let store: SigningKeyStore & { reads: number };
  let aheadMs = 0;
  const cipher = createSecretCipher([randomBytes(32)]);
  const now = () => new Date(Date.now() + aheadMs);
  const factory = createSigningKeyFactory({ cipher, newId, now });
  before(async () => {
    mongo = await startMongo();
  });
  after(() => mongo.stop());
  beforeEach(async () => {
    await mongo.connection.db.dropDatabase();
    const real = createSigningKeyStore({ db: mongo.connection.db });
    store = {
      reads: 0,
      read() {
        store.reads += 1;
        return real.read();
      },
      readWithdrawn: real.readWithdrawn,
      write: real.write,
    };
  });

  const keyring = () => createKeyring({ store, factory, cipher, issuer: ISSUER, now });

  const claims = (changes: Record<string, unknown> = {}) => {
    const iat = Math.floor(now().getTime() / 1000);
    return { iss: ISSUER, sub: 'x', aud: 'y', iat, exp: iat + 60, jti: 'tok_1', client_id: 'x', scope: '', ...changes };
  };

  const invalid = (promise: Promise<unknown>) =>
    assert.rejects(promise, (error) => error instanceof FairleadError && error.code === 'OAUTH_INVALID_TOKEN');

  it('makes the first keys once, however many processes start at the same time', async () => {
    const rings = Array.from({ length: 8 }, keyring);
    const tokens = await Promise.all(rings.map((ring) => ring.sign(claims(), 'at+jwt')));
    const { keys } = await store.read();
    assert.deepEqual(keys.map(({ state }) => state).sort(), ['active', 'next']);
    for (const ring of rings) for (const token of tokens) assert.equal((await ring.verifyOwn(token)).sub, 'x');
  });

  it('signs what jose verifies by the published keys', async () => {
    const ring = keyring();
    const token = await ring.sign(claims({ name: 'Zoë “quoted”' }), 'at+jwt');
    const set = createLocalJWKSet({ keys: [...(await ring.publicKeys())] });
    const { payload, protectedHeader } = await jwtVerify(token, set, { algorithms: ['RS256'], typ: 'at+jwt' });
    assert.equal(payload.name, 'Zoë “quoted”');
    assert.deepEqual(Object.keys(protectedHeader).sort(), ['alg', 'kid', 'typ']);
  });

  it('keeps private keys sealed, each for its own id alone', async () => {
    await keyring().sign(claims(), 'at+jwt');
    const [one, two] = (await store.read()).keys;
    assert.ok(one && two);
    assert.ok(!JSON.stringify(one).includes('PRIVATE KEY'));
    assert.match(cipher.open(one.privateKey, sealContext(one.id)), /BEGIN PRIVATE KEY/);
    assert.throws(() => cipher.open(one.privateKey, sealContext(two.id)), FairleadError);
  });

  it('reads the keys once for many calls, and again a second later', async () => {
    const ring = keyring();
    await ring.reload();
    const before = store.reads;
    aheadMs += 1_100;
    await Promise.all(Array.from({ length: 50 }, () => ring.sign(claims(), 'at+jwt')));
    assert.equal(store.reads, before + 1);
  });

  it('takes over what another process rotated', async () => {
    const [one, two] = [keyring(), keyring()];
    await Promise.all([one.reload(), two.reload()]);
    aheadMs += 3 * MINUTE_MS;
    const { activated } = await one.rotate({ force: true });
    const token = await one.sign(claims(), 'at+jwt');
    assert.equal((await two.verifyOwn(token)).sub, 'x', 'a key that was published as the next one');
    aheadMs += 30 * 86_400_000;
    const kid = JSON.parse(
      Buffer.from((await two.sign(claims(), 'at+jwt')).split('.')[0] ?? '', 'base64url').toString(),
    );
    assert.equal(kid.kid, activated, 'after ten minutes unread it is read before use');
  });

  it('looks for a key it does not know at most once a second', async () => {
    const ring = keyring();
    await ring.reload();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const before = store.reads;
    for (let index = 0; index < 30; index += 1) {
      const header = { alg: 'RS256', typ: 'at+jwt', kid: `key_unknown_${index}` };
      await invalid(ring.verifyOwn(await new SignJWT(claims()).setProtectedHeader(header).sign(privateKey)));
    }
    assert.ok(store.reads - before <= 1, `${store.reads - before} reads`);
  });

  it('keeps signing while the database is away for a while, and verifies nothing that may be withdrawn', async () => {
    const ring = keyring();
    await ring.reload();
    store.read = async () => {
      throw new FairleadError('UNAVAILABLE', 'away', { retryable: true });
    };
    aheadMs += MINUTE_MS;
    const token = await ring.sign(claims(), 'at+jwt');
    await assert.rejects(ring.verifyOwn(token), { code: 'UNAVAILABLE' });
    aheadMs += 10 * MINUTE_MS;
    await assert.rejects(ring.sign(claims(), 'at+jwt'), /away/);
  });

  it('publishes the keys that it knew for as long as the database is away, also when it never answers', async () => {
    const ring = keyring();
    const known = await ring.publicKeys();
    for (const read of [() => Promise.reject(new Error('away')), () => new Promise<never>(() => {})]) {
      store.read = read;
      aheadMs += 86_400_000;
      assert.deepEqual(await ring.publicKeys(), known);
    }
  });

  it('refuses a key that was withdrawn after the clock was set back', async () => {
    const two = keyring();
    await two.reload();
    aheadMs -= 60 * MINUTE_MS;
    const active = (await store.read()).keys.find(({ state }) => state === 'active');
    const stolen = await two.sign(claims(), 'at+jwt');
    await keyring().withdraw(active?.id ?? '');
    aheadMs += 1_100;
    await invalid(two.verifyOwn(stolen));
    const [header = ''] = (await two.sign(claims(), 'at+jwt')).split('.');
    assert.notEqual(JSON.parse(Buffer.from(header, 'base64url').toString()).kid, active?.id);
  });

  it('of a process that did not withdraw a key refuses its tokens and signs by another a second later', async () => {
    const [one, two] = [keyring(), keyring()];
    const stolen = await two.sign(claims(), 'at+jwt');
    const active = (await store.read()).keys.find(({ state }) => state === 'active');
    await one.withdraw(active?.id ?? '');
    await invalid(one.verifyOwn(stolen));
    aheadMs += 1_000;
    await invalid(two.verifyOwn(stolen));
    assert.equal((await one.verifyOwn(await two.sign(claims(), 'at+jwt'))).sub, 'x');
    assert.ok((await two.publicKeys()).every(({ kid }) => kid !== active?.id));
  });

  it('of ten processes that withdraw keys at once loses no withdrawal, and one key is active', async () => {
    await keyring().reload();
    const ids = (await store.read()).keys.map(({ id }) => id);
    await Promise.all(Array.from({ length: 10 }, (_, index) => keyring().withdraw(ids[index % 2] ?? '')));
    const { keys, withdrawn } = await store.read();
    assert.deepEqual(withdrawn.map(({ id }) => id).sort(), ids.sort());
    assert.deepEqual(keys.map(({ state }) => state).sort(), ['active', 'next']);
    assert.ok(keys.every(({ id }) => !ids.includes(id)));
  });

  it('refuses tokens of another type, issuer, algorithm or time, and whatever was altered', async () => {
    const ring = keyring();
    const good = await ring.sign(claims(), 'at+jwt');
    const [header = '', payload = '', signature = ''] = good.split('.');
    await invalid(ring.verifyOwn(await ring.sign(claims(), 'JWT')));
    await invalid(ring.verifyOwn(await ring.sign(claims({ iss: 'https://other.example' }), 'at+jwt')));
    await invalid(ring.verifyOwn(await ring.sign(claims({ exp: 1 }), 'at+jwt')));
    await invalid(ring.verifyOwn(await ring.sign(claims({ jti: undefined }), 'at+jwt')));
    const { exp: _, ...endless } = claims();
    await invalid(ring.verifyOwn(await ring.sign(endless, 'at+jwt')));
    const other = Buffer.from(JSON.stringify(claims({ sub: 'root' }))).toString('base64url');
    for (const token of [`${header}.${other}.${signature}`, `${header}.${payload}.`, 'a.b.c', '', 'x'.repeat(20_000)]) {
      await invalid(ring.verifyOwn(token));
    }
    const active = (await store.read()).keys.find(({ state }) => state === 'active');
    assert.ok(active);
    const key = await importPKCS8(cipher.open(active.privateKey, sealContext(active.id)), 'PS256');
    const bytes = new TextEncoder().encode(JSON.stringify(claims()));
    const pss = new CompactSign(bytes).setProtectedHeader({ alg: 'PS256', typ: 'at+jwt', kid: active.id });
    await invalid(ring.verifyOwn(await pss.sign(key)));
  });
});
