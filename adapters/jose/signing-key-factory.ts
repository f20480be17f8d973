import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../../domain/clock.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { SigningKeyFactory } from '../../domain/identity/ports.ts';
import type { SigningKey } from '../../domain/identity/signing-key.ts';
import type { NewId } from '../../domain/ids.ts';

/** 112 bits of security, and what every verifier of RS256 must take (RFC 7518, 3.3). */
const MODULUS_BITS = 2_048;

const generate = promisify(generateKeyPair);

/** Makes RSA key pairs in the state `next`. The private half leaves this file sealed, bound to the id of its key. */
export function createSigningKeyFactory(deps: { cipher: SecretCipher; newId: NewId; now: Clock }): SigningKeyFactory {
  return {
    async create(): Promise<SigningKey> {
      const id = deps.newId('signingKey');
      const { publicKey, privateKey } = await generate('rsa', { modulusLength: MODULUS_BITS });
      const { n, e } = publicKey.export({ format: 'jwk' });
      if (n === undefined || e === undefined) throw new FairleadError('INTERNAL', 'an RSA key without a modulus');
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      return {
        id,
        state: 'next',
        publicJwk: { kty: 'RSA', n, e },
        privateKey: deps.cipher.seal(pem, sealContext(id)),
        createdAt: deps.now(),
        activatedAt: null,
        retiredAt: null,
      };
    },
  };
}

/** Associated data of a sealed private key: one cannot be put in the place of another. */
export function sealContext(keyId: string): { service: string; key: string } {
  return { service: 'identity/signing-key', key: keyId };
}
