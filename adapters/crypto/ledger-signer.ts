import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { LedgerKey, LedgerSigner } from '../../domain/audit-ledger/receipt.ts';
import { createSigningThread } from './signing-thread.ts';

/** DER of a PKCS #8 Ed25519 key up to its 32-byte seed (RFC 8410, 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Fewer are signed in place: it takes a millisecond, and no thread. */
const MANY_TEXTS = 32;

/**
 * Signs with Ed25519 keys that live in this process. The first signs; the others are published, so that what they signed
 * before a rotation can still be checked, and so are the public halves of retired keys.
 * @param seeds 32 bytes each, one or more
 */
export function createLedgerSigner(
  seeds: readonly Uint8Array[],
  retired: readonly Omit<LedgerKey, 'keyId'>[] = [],
): LedgerSigner {
  const pairs = seeds.map(keyPair);
  const [current] = pairs;
  if (current === undefined) throw new RangeError('a ledger needs a key to sign with');
  const signInPlace = (text: string): Uint8Array => sign(null, Buffer.from(text), current.privateKey);
  const signOnThread = createSigningThread(current.privateKey);
  return {
    keyId: current.published.keyId,
    keys: [
      ...pairs.map(({ published }) => published),
      ...retired.map((key) => ({ ...key, keyId: keyIdOf(Buffer.from(key.publicKey, 'base64')) })),
    ],
    // In place: one that is waited for comes back from another thread later than it takes (30 µs).
    sign: async (text) => signInPlace(text),
    signAll: async (texts) => (texts.length < MANY_TEXTS ? texts.map(signInPlace) : signOnThread(texts)),
  };
}

function keyPair(seed: Uint8Array): { privateKey: KeyObject; published: LedgerKey } {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const bytes = Buffer.from(x, 'base64url');
  return { privateKey, published: { keyId: keyIdOf(bytes), publicKey: bytes.toString('base64') } };
}

function keyIdOf(publicKey: Uint8Array): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
}
