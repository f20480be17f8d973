import type { SealedSecret } from '../config/sealed-secret.ts';

/** A key goes through these states in order and is then forgotten. */
export const KEY_STATES = ['next', 'active', 'retiring'] as const;

export type KeyState = (typeof KEY_STATES)[number];

/**
 * A signing key. `next` is published and not used yet, so that every verifier knows it before the first token of it;
 * `active` signs; `retiring` signs no more and is published until the last token of it has expired.
 */
export interface SigningKey {
  /** `key_…`; the header `kid`. */
  readonly id: string;
  readonly state: KeyState;
  readonly publicJwk: { readonly kty: 'RSA'; readonly n: string; readonly e: string };
  /** PKCS #8 PEM, sealed with the operator's key; it never leaves the provider. */
  readonly privateKey: SealedSecret;
  readonly createdAt: Date;
  readonly activatedAt: Date | null;
  readonly retiredAt: Date | null;
}

/** A key that was withdrawn because it leaked: whatever it signed is void, as long as the token may say that it lives. */
export interface WithdrawnKey {
  readonly id: string;
  readonly withdrawnAt: Date;
}

/** All keys in one document, so that "one is active" is held by one write. `version` guards against two writers. */
export interface KeySet {
  readonly version: number;
  readonly keys: readonly SigningKey[];
  /** None of them is among `keys`. */
  readonly withdrawn: readonly WithdrawnKey[];
}
