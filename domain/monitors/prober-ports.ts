/**
 * What runs checks. Keying: a monitor is checked for the session that named it last, so that of two holders of a shard in
 * one process only the newer gets results. Retries: none; a failed check is a result. A thread that ends or hangs is started
 * anew without the check that it hung in. Compensation: none.
 */

import type { MonitorCheck } from './check-kinds.ts';
import type { MonitorResult, Outcome } from './check-result.ts';
import type { ProbedHeaders } from './headers-to-send.ts';
import type { SkippedChecks } from './scheduled-monitor.ts';

/** A monitor as it is checked. */
export interface ProbedMonitor {
  readonly id: string;
  readonly check: MonitorCheck;
  /** Of a check over HTTP that has some: with the values of its secrets, which stay in the memory of the worker. */
  readonly headers?: ProbedHeaders | undefined;
  readonly intervalSeconds: number;
  /** Of its last check; null when it never had one: then it is checked at once. */
  readonly lastOutcome: Outcome | null;
  /** Null: the operators'. */
  readonly org: string | null;
  /** Whether the platform itself gave the address: then nobody else says what answers a handshake there. */
  readonly isOfPlatform: boolean;
}

/** A result before it has its time: `beganMs` is of a clock of this machine that nobody sets. */
export type ProbeResult = Omit<MonitorResult, 'at'> & { readonly beganMs: number };

/** What a session hears; never before `open` has returned. */
export interface ProbeListener {
  /** In the order in which the checks ended. */
  onResults(results: readonly ProbeResult[]): void;
  /** Heartbeats whose time has come: the caller looks at them, and says by `settle` what it found. */
  onHeartbeatsDue(due: readonly { readonly monitorId: string; readonly beganMs: number }[]): void;
  /** The prober was closed: nothing is checked any more. */
  onEnd(error: Error): void;
}

export interface ProbeSession {
  /** Adds monitors, or changes them. */
  set(monitors: readonly ProbedMonitor[]): void;
  remove(monitorIds: readonly string[]): void;
  settle(found: readonly { readonly monitorId: string; readonly outcome: Outcome }[]): void;
  /** The database's clock is so far ahead of `nowMs()`: turns are by it. */
  anchor(aheadMs: number): void;
  close(): void;
}

/** How punctual the checks of the last minute were, of all sessions together. */
export interface ProberStatus {
  readonly checks: number;
  /** Milliseconds after their time, of the thread that is latest; null without checks. */
  readonly lateness: { readonly p50Ms: number; readonly p99Ms: number } | null;
  /** Since its threads started. */
  readonly skipped: SkippedChecks;
}

export interface Prober {
  /** Of the clock by which `beganMs` is. */
  nowMs(): number;
  open(listener: ProbeListener, aheadMs: number): ProbeSession;
  /** Asks the control targets now. */
  askControls(): Promise<{ readonly controls: number; readonly answering: number }>;
  status(): Promise<ProberStatus>;
  close(): Promise<void>;
}
