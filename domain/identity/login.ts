import type { SealedSecret } from '../config/sealed-secret.ts';
import type { LoginMethod } from './user.ts';

/** A browser's session at the provider. The cookie holds a random secret; here stands its SHA-256. */
export interface SessionRecord {
  /** `ses_…`; the claim `sid`. */
  readonly id: string;
  readonly userId: string;
  readonly secretHash: string;
  readonly methods: readonly LoginMethod[];
  /** Moment of the last full login: `auth_time`. */
  readonly authenticatedAt: Date;
  readonly address: string;
  readonly userAgent: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

/**
 * How a grant came to be. Only `oauth` (authorization code or device flow) may be exchanged for a token of another
 * audience (spec 1, F 4); `trusted_signup` may not use the embed API's refresh.
 */
export const GRANT_ORIGINS = ['oauth', 'password', 'magic_link', 'trusted_signup'] as const;

export type GrantOrigin = (typeof GRANT_ORIGINS)[number];

/**
 * One login of a person at one client, and the family of its refresh tokens. Access tokens name it in the claim `gid`:
 * revoking it ends them all.
 *
 * A refresh token is `{grant id}.{generation}.{HMAC of both}`: genuine ones are told from forged ones without being
 * stored. The grant's `generation` is the one that is good now. Presenting it makes the next; presenting the one before
 * within the grace gets the same reply again; any older one is a replay, which revokes the grant (RFC 9700, 4.14).
 */
export interface GrantRecord {
  /** `grt_…` */
  readonly id: string;
  readonly userId: string;
  readonly clientId: string;
  /** The browser session it was made in; null for logins without one. */
  readonly sessionId: string | null;
  readonly origin: GrantOrigin;
  /** True with the scope `offline_access`: it outlives the session's log-out. */
  readonly offline: boolean;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  readonly methods: readonly LoginMethod[];
  readonly authenticatedAt: Date;
  readonly generation: number;
  /** The reply that made `generation`, sealed, for repeats within the grace; null before the first refresh. */
  readonly lastReply: { readonly sealed: SealedSecret; readonly graceUntil: Date } | null;
  readonly address: string;
  readonly userAgent: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  /** Absolute: refreshing never moves it. */
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

/** Seconds within which a repeated refresh gets the same reply again. */
export const REFRESH_GRACE_SECONDS = 30;

/** An authorization code on its way to be redeemed (RFC 6749, 4.1). `codeHash` is the SHA-256 of the code, in hex. */
export interface AuthorizationCode {
  readonly codeHash: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  readonly nonce: string | null;
  /** S256 (RFC 7636); there is no other method and no code without one. */
  readonly codeChallenge: string;
  readonly methods: readonly LoginMethod[];
  readonly authenticatedAt: Date;
  readonly expiresAt: Date;
  /** The grant it was redeemed for; a second redemption revokes that grant. */
  readonly redeemedFor: string | null;
}

/** A device flow that waits for its person (RFC 8628). */
export interface DeviceAuthorization {
  readonly deviceCodeHash: string;
  /** Eight letters without vowels, without its dash. Unique while it lives. */
  readonly userCode: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  readonly status: 'pending' | 'approved' | 'denied' | 'redeemed';
  /** Who approved, in which session; null before. */
  readonly approval: {
    readonly userId: string;
    readonly sessionId: string;
    readonly methods: readonly LoginMethod[];
    readonly authenticatedAt: Date;
  } | null;
  /** Seconds the device must wait between two polls; grows by 5 with each poll that came too early. */
  readonly intervalSeconds: number;
  readonly lastPolledAt: Date | null;
  readonly redeemedFor: string | null;
  readonly address: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}
