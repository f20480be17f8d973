/**
 * Quotas of vendors on calls, which all processes of the installation share. Whether a vendor's minutes are those of the clock
 * is not said, so the calls of a window are spread over slots that are shorter: in any window, wherever it begins, there are
 * no more calls than the quota.
 */
export interface QuotaScope {
  /** Under which all processes count: `property/example.com`. */
  readonly key: string;
  /** What the keys of one kind have in common: `property`. Their slots are of one length, in all versions that run. */
  readonly rule: string;
  /** Whose quota it is, as messages name it. */
  readonly vendor: 'Google' | 'Cloudflare';
  /** In any window. */
  readonly calls: number;
  readonly windowMs: number;
  /** How long slots are where no process of any version has counted yet. */
  readonly slotMs: number;
}

export interface Quota extends Omit<QuotaScope, 'rule' | 'slotMs'> {
  /** The key unless it is said. */
  readonly rule?: string;
  /** Of a window; twelve unless it is said. */
  readonly slots?: number;
}

const SLOTS = 12;

export function scopeOf({ slots = SLOTS, rule, ...quota }: Quota): QuotaScope {
  return { ...quota, rule: rule ?? quota.key, slotMs: quota.windowMs / slots };
}

/** Calls that fit into one slot. A window that begins within a slot touches one slot more than it has. */
export function limitOf({ calls, windowMs }: Pick<QuotaScope, 'calls' | 'windowMs'>, slotMs: number): number {
  return Math.max(1, Math.floor(calls / (Math.ceil(windowMs / slotMs) + 1)));
}

/** The slot of a moment: when it began. */
export function slotOf(now: Date, slotMs: number): Date {
  return new Date(Math.floor(now.getTime() / slotMs) * slotMs);
}

/** Counts calls for all processes. */
export interface QuotaCounters {
  /**
   * How long the slots of a rule are: as whoever asked first proposed, for good. Versions that would have others count in the
   * same ones, or each of them would use up the quota. @throws UNAVAILABLE
   */
  slotMs(rule: string, proposed: number): Promise<number>;
  /** Takes up to so many of the calls that a slot has left; 0 when it has none. @throws UNAVAILABLE */
  take(key: string, slot: Date, want: number, limit: number): Promise<number>;
  /** Lets nobody call until then; a later end stays. */
  pause(key: string, until: Date): Promise<void>;
  /** The last end of a pause of these; null where none goes on. */
  pausedUntil(keys: readonly string[], now: Date): Promise<Date | null>;
}
