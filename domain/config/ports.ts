/**
 * The module `config`: names, bounds and sealed values of a service's variables.
 *
 * Keying: a value belongs to one service and one variable name. Sealing binds it to that place, so that a copy of the
 * ciphertext opens nowhere else.
 * Retries: none here. The module is pure; the record that holds the values belongs to `catalog`.
 * Compensation: none. Sealing again gives another ciphertext of the same value.
 */

import type { SealedSecret } from './sealed-secret.ts';

/** Seals and opens secret values. `context` is authenticated: a value sealed for one context does not open in another. */
export interface SecretCipher {
  seal(plaintext: string, context: { service: string; key: string }): SealedSecret;
  /** @throws INTERNAL when the key is unknown or the ciphertext was altered or moved. */
  open(secret: SealedSecret, context: { service: string; key: string }): string;
}
