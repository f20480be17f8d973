/** Names of the identity workflows, and what their activities answer. */

export const IDENTITY_WORKFLOWS = { rotateSigningKeys: 'rotateSigningKeys' } as const;

/** What one look at the signing keys led to, by ids of keys; empty where nothing was due. */
export interface KeyRotationOutcome {
  readonly activated: string | null;
  readonly retired: string | null;
  readonly removed: readonly string[];
  readonly created: readonly string[];
}

/** Has the identity provider do what is due for its signing keys; their private halves never leave it. */
export interface KeyRotator {
  /** Idempotent: asked again, it does what is due then. @throws UNAVAILABLE (retryable) while the provider is away */
  rotateDue(signal: AbortSignal): Promise<KeyRotationOutcome>;
}
