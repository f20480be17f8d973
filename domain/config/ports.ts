/**
 * The module `config`: names, bounds and sealed values of a service's variables.
 *
 * Keying: a value belongs to one service and one variable name, and in a release to its environment. Sealing binds it to
 * that place, so that a copy of the ciphertext opens nowhere else.
 * Retries: a change of variables is not retried here; the record that holds the values belongs to `catalog`. One workflow,
 * `secret-reencryption/<key>`, seals everything with the current key: its pages are retried until they succeed, and a repeated
 * page finds what is done.
 * Compensation: none. Sealing again gives another ciphertext of the same value, and replaces only the one it was made of.
 */

import type { Environment } from '../environment.ts';
import type { Page, PageRequest } from '../page.ts';
import type { SealedSecret } from './sealed-secret.ts';

/** Where a secret belongs. `environment` is absent for what belongs to none, or to all of them. */
export interface SecretContext {
  readonly service: string;
  readonly environment?: Environment;
  readonly key: string;
}

/** A secret where it is stored. */
export interface StoredSecret {
  readonly context: SecretContext;
  readonly secret: SealedSecret;
  /** Puts another sealed form in its place, unless it was changed or removed meanwhile. */
  replace(next: SealedSecret): Promise<void>;
}

/** Every secret of one kind of record, page by page. */
export interface StoredSecrets {
  read(page: PageRequest): Promise<Page<StoredSecret>>;
}

/** Seals and opens secret values. `context` is authenticated: a value sealed for one context does not open in another. */
export interface SecretCipher {
  /** Names the key that seals; others only open. */
  readonly keyId: string;
  seal(plaintext: string, context: SecretContext): SealedSecret;
  /** @throws INTERNAL when the key is unknown or the ciphertext was altered or moved. */
  open(secret: SealedSecret, context: SecretContext): string;
}
