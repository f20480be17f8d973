import type { Outcome } from './check-result.ts';

/** A monitor as the schedule knows it. */
export interface ScheduledMonitor {
  readonly id: string;
  readonly intervalMs: number;
  /** What its checks connect to: only so many checks of one host run at once. */
  readonly host: string;
  /** Whose share of the thread its checks take; null: nobody's. */
  readonly org: string | null;
  /** Of its last check; null when it never had one: then it is checked at once. */
  readonly lastOutcome: Outcome | null;
}

/** A check to begin now. */
export interface StartedCheck {
  readonly id: string;
  /** Milliseconds after its time. */
  readonly lateMs: number;
}

/** What did not take place. */
export interface SkippedChecks {
  /** Too late: the process was busy or asleep. */
  readonly overdue: number;
  /** Others of the same host, address or org, or too many of all, ran the whole time. */
  readonly crowded: number;
  /** The check before it still ran. */
  readonly overlapping: number;
}
