/** Something the platform itself did, for the audit ledger (spec 2, "Events"; spec 3, "Events", "Audit ledger"). */
export interface PlatformEvent {
  /** `{resource}.{action}`, such as `service.deployed`. */
  readonly eventType: string;
  readonly entityId: string;
  /** The org it is about, which owns it in the ledger and reads it there; null for the platform's own. */
  readonly orgSlug: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Under one key an event is recorded once: whoever repeats the work that it tells of does not repeat it. */
  readonly key: string;
}

/** Where the platform's own events go. */
export interface PlatformAudit {
  /**
   * Takes an event, to be sent as soon as the ledger answers, also after a restart. It never rejects and waits for no
   * network: what cannot be taken is logged, and the work it tells of goes on.
   */
  record(event: PlatformEvent): Promise<void>;
}
