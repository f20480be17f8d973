/** What a link that works once is for. */
export const LINK_PURPOSES = ['magic_link', 'password_reset', 'email_verification', 'first_admin'] as const;

export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** A link sent to somebody, that works once. Its token is in the link alone: here stands the SHA-256, in hex. */
export interface OneTimeLink {
  readonly tokenHash: string;
  readonly purpose: LinkPurpose;
  /** Null only for `first_admin` before anybody exists. */
  readonly userId: string | null;
  readonly email: string;
  /** The person's `passwordVersion` when the link was made: it opens nothing once another password was set. */
  readonly passwordVersion: number;
  /** The client on whose behalf it was sent; null for the provider's own pages. */
  readonly clientId: string | null;
  /**
   * True for one that was handed to the client instead of mailed: whoever has it need not read the mail of the address,
   * so it proves nothing about it.
   */
  readonly handed: boolean;
  /** Where a browser goes afterwards: a local path, or an URL the client registered. */
  readonly returnTo: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly consumedAt: Date | null;
}

/** Minutes a link of each purpose works. */
export const LINK_MINUTES: Readonly<Record<LinkPurpose, number>> = {
  magic_link: 15,
  password_reset: 30,
  email_verification: 24 * 60,
  first_admin: 24 * 60,
};
