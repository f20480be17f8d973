import type { SealedSecret } from './sealed-secret.ts';

/** Seals and opens secret values. `context` is authenticated: a value sealed for one context does not open in another. */
export interface SecretCipher {
  seal(plaintext: string, context: { service: string; key: string }): SealedSecret;
  /** @throws INTERNAL when the key is unknown or the ciphertext was altered or moved. */
  open(secret: SealedSecret, context: { service: string; key: string }): string;
}
