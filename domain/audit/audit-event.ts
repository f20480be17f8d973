/** Something security-relevant that happened. It never holds a secret, a token or a password. */
export interface AuditEvent {
  /** `evt_…` */
  readonly id: string;
  /** Noun and past participle with a dot, such as `oauth.client_created`, `user.login_failed`. */
  readonly type: string;
  /** Who did it: a user id, a client id, `internal`, or `anonymous`. */
  readonly actor: string;
  /** What it was done to: a user id, a client id, an org slug, a key id. */
  readonly subject: string;
  /** The org it belongs to; null for the platform's own. */
  readonly orgSlug: string | null;
  readonly data: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
  /** Request that caused it; null for scheduled work. */
  readonly requestId: string | null;
  /** Network address of the caller; null where there is none. */
  readonly address: string | null;
  readonly time: Date;
}
