import assert from 'node:assert/strict';
import { createCipheriv, randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { equalsSecret } from '../../../adapters/crypto/equals-secret.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';

const oldKey = Buffer.alloc(32, 1);
const newKey = Buffer.alloc(32, 2);
const context = { service: 'hello', key: 'API_KEY' };

it('opens what it sealed, and seals the same value differently each time', () => {
  const cipher = createSecretCipher([oldKey]);
  const first = cipher.seal('geheim ✓', context);
  assert.equal(cipher.open(first, context), 'geheim ✓');
  assert.notEqual(first.sealed, cipher.seal('geheim ✓', context).sealed);
  assert.match(first.keyId, /^[0-9a-f]{8}$/);
  assert.equal(cipher.open(cipher.seal('', context), context), '');
});

it('a value does not open for another service, environment or variable', () => {
  const cipher = createSecretCipher([oldKey]);
  const sealed = cipher.seal('x', { ...context, environment: 'sandbox' });
  for (const moved of [
    context,
    { ...context, environment: 'prod' as const },
    { ...context, service: 'other' },
    { ...context, key: 'OTHER' },
  ]) {
    assert.throws(() => cipher.open(sealed, moved), { code: 'INTERNAL' });
  }
});

it('a value of a service does not open as one of an environment', () => {
  const cipher = createSecretCipher([oldKey]);
  const sealed = cipher.seal('x', context);
  assert.throws(() => cipher.open(sealed, { ...context, environment: 'prod' }), { code: 'INTERNAL' });
});

it('what was sealed before environments were authenticated opens, until it is sealed again', () => {
  const cipher = createSecretCipher([oldKey]);
  const { keyId } = cipher.seal('', context);
  const nonce = randomBytes(12);
  const old = createCipheriv('aes-256-gcm', oldKey, nonce).setAAD(Buffer.from(JSON.stringify(['hello', 'API_KEY'])));
  const bytes = Buffer.concat([nonce, old.update('kept'), old.final(), old.getAuthTag()]);
  const sealed = { keyId, sealed: bytes.toString('base64url') };
  const place = { ...context, environment: 'prod' as const };
  assert.deepEqual([cipher.open(sealed, context), cipher.open(sealed, place)], ['kept', 'kept']);
  assert.throws(() => cipher.open(sealed, { ...place, service: 'other' }), { code: 'INTERNAL' });
  const again = cipher.seal(cipher.open(sealed, place), place);
  assert.throws(() => cipher.open(again, { ...place, environment: 'uat' }), { code: 'INTERNAL' });
});

it('an altered or cut value does not open', () => {
  const cipher = createSecretCipher([oldKey]);
  const { keyId, sealed } = cipher.seal('value', context);
  const bytes = Buffer.from(sealed, 'base64url');
  for (let index = 0; index < bytes.length; index += 1) {
    const altered = Buffer.from(bytes);
    altered[index] = (altered[index] ?? 0) ^ 1;
    assert.throws(() => cipher.open({ keyId, sealed: altered.toString('base64url') }, context), { code: 'INTERNAL' });
  }
  for (const cut of ['', sealed.slice(0, 10), sealed.slice(0, -4)]) {
    assert.throws(() => cipher.open({ keyId, sealed: cut }, context), { code: 'INTERNAL' });
  }
});

it('a rotated key still opens old values, a removed one is named', () => {
  const sealed = createSecretCipher([oldKey]).seal('kept', context);
  const rotated = createSecretCipher([newKey, oldKey]);
  assert.equal(rotated.open(sealed, context), 'kept');
  assert.notEqual(rotated.seal('x', context).keyId, sealed.keyId);
  assert.throws(() => createSecretCipher([newKey]).open(sealed, context), new RegExp(sealed.keyId));
  assert.throws(() => createSecretCipher([]), { code: 'VALIDATION_FAILED' });
  assert.throws(() => createSecretCipher([Buffer.alloc(16)]), { code: 'VALIDATION_FAILED' });
});

it('compares secrets of any length', () => {
  assert.equal(equalsSecret('a', 'a'), true);
  for (const other of ['', 'b', 'aa']) assert.equal(equalsSecret(other, 'a'), false);
});

it('ids carry their kind and do not repeat', () => {
  const ids = Array.from({ length: 1_000 }, () => newId('build'));
  assert.equal(new Set(ids).size, 1_000);
  assert.ok(ids.every((id) => /^bld_[0-9a-z]{20}$/.test(id)));
});
