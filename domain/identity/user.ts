import type { SealedSecret } from '../config/sealed-secret.ts';
import type { PlatformRole } from '../roles.ts';

/** A person. What they may do in orgs stands in their memberships (domain/orgs/org.ts). */
export interface UserRecord {
  /** `usr_…`; the claims `sub` and `identityId`. */
  readonly id: string;
  /** Unique, lower case. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly firstName: string;
  readonly lastName: string;
  readonly avatar: string | null;
  /** Argon2id in PHC string format; null for someone who has none (magic link, passkey, or not set yet). */
  readonly passwordHash: string | null;
  /**
   * Grows by one with each password that is set, and not with a rehash of the same one. Whatever is begun by a login or a
   * link remembers it, and is void once it has grown: a reset ends everything that was begun before it.
   */
  readonly passwordVersion: number;
  /**
   * Set in the write that sets a password, until all that was begun before has ended, but for that session and its logins.
   * Whoever finds it there, after a kill, ends the rest.
   */
  readonly endingLogins: { readonly keepSession: string | null } | null;
  readonly platformRoles: readonly PlatformRole[];
  /** Slug of the org that the claim `orgSlug` names; null for someone in no org. */
  readonly primaryOrg: string | null;
  readonly suspendedAt: Date | null;
  /**
   * Set by a provisioning call that made the account with a temporary password; cleared by any human login, password
   * change or identity link (spec 1, "Provisioned account and initial password").
   */
  readonly onboardingPending: { readonly orgSlug: string; readonly clientId: string; readonly since: Date } | null;
  readonly totp: TotpFactor | null;
  readonly passkeys: readonly Passkey[];
  /** SHA-256 in hex of the unused recovery codes. */
  readonly recoveryCodes: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A time-based one-time password generator (RFC 6238: SHA-1, 6 digits, 30 s). */
export interface TotpFactor {
  readonly secret: SealedSecret;
  /** Null until the first code was shown to work: only then it is asked for at login. */
  readonly confirmedAt: Date | null;
  /** The last time step a code was accepted for: a code works once. */
  readonly lastStep: number | null;
  /** See domain/identity/second-factors.ts; null while it is unconfirmed. */
  readonly since: Date | null;
}

/** A WebAuthn credential. */
export interface Passkey {
  /** base64url. */
  readonly credentialId: string;
  /** COSE key, base64url. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
  /** What its owner calls it. */
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  /** See domain/identity/second-factors.ts. */
  readonly since: Date;
}

/** How someone proved who they are, as values of the claim `amr` (RFC 8176). */
export const LOGIN_METHODS = ['pwd', 'otp', 'swk', 'mfa', 'email'] as const;

export type LoginMethod = (typeof LOGIN_METHODS)[number];
