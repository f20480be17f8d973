/**
 * The module `config`: names, bounds and sealed values of a service's variables.
 *
 * Keying: a value belongs to one service and one variable name, and in a release to its environment. Sealing binds it to
 * that place, so that a copy of the ciphertext opens nowhere else.
 * Retries: none here. The module is pure; the record that holds the values belongs to `catalog`.
 * Compensation: none. Sealing again gives another ciphertext of the same value.
 */

import type { Environment } from '../environment.ts';
import type { SealedSecret } from './sealed-secret.ts';

/** Where a secret belongs. `environment` is absent for what belongs to none, or to all of them. */
export interface SecretContext {
  readonly service: string;
  readonly environment?: Environment;
  readonly key: string;
}

/** Seals and opens secret values. `context` is authenticated: a value sealed for one context does not open in another. */
export interface SecretCipher {
  seal(plaintext: string, context: SecretContext): SealedSecret;
  /** @throws INTERNAL when the key is unknown or the ciphertext was altered or moved. */
  open(secret: SealedSecret, context: SecretContext): string;
}
