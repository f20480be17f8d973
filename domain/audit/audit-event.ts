/** Something that a part of the platform did. It never holds a secret, a token or a password. */
export interface AuditEvent {
  /**
   * Under one id an event is recorded once: `evt_…`, or a name made of the work it tells of, such as
   * `service.deployed/bld_1`, under which whoever repeats the work does not repeat the event.
   */
  readonly id: string;
  /** Noun and past participle with a dot, such as `oauth.client_created`, `service.deployed`. */
  readonly type: string;
  /** Who did it: a user id, a client id, `internal`, `anonymous`, or the part of the platform. */
  readonly actor: string;
  /** What it was done to: a user id, a client id, an org slug, a key id, a service. */
  readonly subject: string;
  /** The org it belongs to, which owns it in the ledger and reads it there; null for the platform's own. */
  readonly orgSlug: string | null;
  readonly data: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
  /** Request that caused it; null for scheduled work. */
  readonly requestId: string | null;
  /** In the place of the request, where it is not told which one came first. */
  readonly why?: string;
  /** Network address of the caller; null where there is none. */
  readonly address: string | null;
  /** When it happened; null for what may be recorded again by repeated work, which has to say the same each time. */
  readonly time: Date | null;
}
