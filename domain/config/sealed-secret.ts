/** AES-256-GCM ciphertext bound to service, environment and key by associated data, so it opens in no other place. */
export interface SealedSecret {
  readonly keyId: string;
  /** base64url of nonce, ciphertext and tag. */
  readonly sealed: string;
}

/** What a secret looks like in every reply. */
export const HIDDEN_SECRET = '********';
