import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { SecretCipher } from '../../domain/config/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { SIGNING_ALGORITHM } from '../../domain/identity/claims.ts';
import type { PublicKey } from '../../domain/identity/ports.ts';
import { KEY_STATES, type KeySet, type SigningKey } from '../../domain/identity/signing-key.ts';
import { sealContext } from './signing-key-factory.ts';

/** The key set of one moment, ready for use. */
export interface KeySnapshot {
  readonly version: number;
  readonly active: { readonly id: string; readonly privateKey: KeyObject };
  /** Next, active and retiring, in this order. */
  readonly published: readonly PublicKey[];
  /** By `kid`. */
  readonly verifiers: ReadonlyMap<string, KeyObject>;
}

/** Opens the active key and imports the others. @throws INTERNAL without an active key or with one of another seal. */
export function openKeySet(set: KeySet, cipher: SecretCipher): KeySnapshot {
  const active = set.keys.find(({ state }) => state === 'active');
  if (active === undefined) throw new FairleadError('INTERNAL', 'No signing key is active');
  const published = set.keys
    .toSorted((a, b) => KEY_STATES.indexOf(a.state) - KEY_STATES.indexOf(b.state))
    .map(publicKeyOf);
  return {
    version: set.version,
    active: { id: active.id, privateKey: createPrivateKey(cipher.open(active.privateKey, sealContext(active.id))) },
    published,
    verifiers: new Map(set.keys.map((key) => [key.id, createPublicKey({ key: key.publicJwk, format: 'jwk' })])),
  };
}

function publicKeyOf({ id, publicJwk }: SigningKey): PublicKey {
  const { kty, n, e } = publicJwk;
  return { kty, n, e, kid: id, use: 'sig', alg: SIGNING_ALGORITHM };
}
