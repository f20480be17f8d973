/**
 * The module `identity`: people, sessions, logins, tokens and signing keys.
 *
 * Keying: a user is unique by e-mail address. Secrets of links, codes and tokens are stored as hashes and looked up by
 * them. Something that can be used once is consumed by one conditional update: of many callers exactly one succeeds.
 * Retries: an HTTP request is not retried here. The one workflow rotates signing keys: a schedule starts it every hour,
 * its activity is retried for 25 minutes, and a run that is late or repeated does no harm.
 * Compensation: none. A refresh token or code that is used twice revokes its login.
 */

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
