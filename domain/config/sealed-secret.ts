/** AES-256-GCM ciphertext bound to service and key by associated data, so it cannot be moved to another place. */
export interface SealedSecret {
  readonly keyId: string;
  /** base64url of nonce, ciphertext and tag. */
  readonly sealed: string;
}

/** What a secret looks like in every reply. */
export const HIDDEN_SECRET = '********';
