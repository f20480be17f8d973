import { createHmac, hash, hkdfSync, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { FairleadError } from '../../domain/errors.ts';
import type { Tokens } from '../../domain/identity/ports.ts';
import { equalsDigest } from './equals-secret.ts';

const TOKEN_BYTES = 32;

/** Tells the keys of MACs from everything else that is made of the operator's key (RFC 5869, 3.2). */
const KEY_PURPOSE = 'fairlead/identity/mac';

/**
 * Random tokens, their hashes, and MACs. `keys` are the operator's encryption keys, 32 bytes each: the first makes MACs,
 * all check them, so that a key can be rotated. What MACs are made with is derived from them, never the key itself.
 */
export function createTokens(keys: readonly Uint8Array[]): Tokens {
  const macKeys = keys.map((key) => Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), KEY_PURPOSE, 32)));
  const [current] = macKeys;
  if (current === undefined) throw new FairleadError('VALIDATION_FAILED', 'MACs need at least one key');
  return {
    create: (prefix) => prefix + randomBytes(TOKEN_BYTES).toString('base64url'),
    hash: (token) => hash('sha256', token, 'hex'),
    mac: (purpose, text) => macOf(current, purpose, text).toString('base64url'),
    checkMac: (purpose, text, mac) => checkMac(macKeys, purpose, text, mac),
    letters: (alphabet, length) => Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join(''),
    equals: equalsDigest,
  };
}

function macOf(key: Buffer, purpose: string, text: string): Buffer {
  // JSON keeps the two parts apart whatever they hold.
  return createHmac('sha256', key)
    .update(JSON.stringify([purpose, text]), 'utf8')
    .digest();
}

function checkMac(keys: readonly Buffer[], purpose: string, text: string, mac: string): boolean {
  const presented = Buffer.from(mac, 'base64url');
  // Base64 decoders are lenient: only the one spelling that `mac` writes is genuine.
  if (presented.length !== 32 || presented.toString('base64url') !== mac) return false;
  return keys.map((key) => timingSafeEqual(macOf(key, purpose, text), presented)).includes(true);
}
