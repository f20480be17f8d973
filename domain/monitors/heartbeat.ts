import type { MonitorCheck } from './check-kinds.ts';
import type { Outcome, Problem } from './check-result.ts';

/** What a job says: that it began, that it is done, or that it failed. */
export const HEARTBEAT_SIGNALS = ['start', 'done', 'fail'] as const;
export type HeartbeatSignal = (typeof HEARTBEAT_SIGNALS)[number];

/** When a job said each of them last. */
export type Heartbeats = Readonly<Record<HeartbeatSignal, Date | null>>;

export const NO_HEARTBEATS: Heartbeats = { start: null, done: null, fail: null };

/** What jobs reported. @throws UNAVAILABLE (retryable) from every method */
export interface HeartbeatStore {
  /** Kept by a majority when this resolves. An earlier time than the stored one changes nothing. */
  put(monitorId: string, signal: HeartbeatSignal, at: Date): Promise<void>;
  /** Monitors without any are left out. */
  find(monitorIds: readonly string[]): Promise<ReadonlyMap<string, Heartbeats>>;
  /** Of a monitor that is removed. None is no error. */
  remove(monitorId: string): Promise<void>;
}

export type HeartbeatCheck = Extract<MonitorCheck, { readonly kind: 'heartbeat' }>;

/** How long a token counts beside the one that replaced it, in hours. */
export const TOKEN_OVERLAP_HOURS = { usual: 24, most: 7 * 24 } as const;
const HOUR_MS = 3_600_000;

/** The check with another token. The one before counts for so long; the one before that, no more. */
export function withToken(
  { formerToken: _before, ...check }: HeartbeatCheck,
  tokenHash: string,
  { at, overlapHours }: { readonly at: Date; readonly overlapHours: number },
): HeartbeatCheck {
  if (overlapHours === 0) return { ...check, tokenHash };
  const until = new Date(at.getTime() + overlapHours * HOUR_MS);
  return { ...check, tokenHash, formerToken: { tokenHash: check.tokenHash, until } };
}

/** Hashes of the tokens by which a job reports at a time. */
export function tokenHashesAt({ tokenHash, formerToken }: HeartbeatCheck, at: Date): readonly string[] {
  return formerToken !== undefined && at < formerToken.until ? [tokenHash, formerToken.tokenHash] : [tokenHash];
}

/** What a look at the heartbeats of a monitor found. */
export interface HeartbeatFinding {
  readonly outcome: Outcome;
  readonly problem: Problem | null;
  readonly message: string | null;
}

const OK: HeartbeatFinding = { outcome: 'ok', problem: null, message: null };

/**
 * A job is well when it was done within its period and the grace. One that said that it failed is not, until it is done
 * again. One that began in time has the grace to be done. A new monitor has the period and the grace for its first report.
 * @param since when the monitor was made, or when it was last resumed
 */
export function judgeHeartbeat(
  { periodSeconds, graceSeconds }: HeartbeatCheck,
  { start, done, fail }: Heartbeats,
  { since, now }: { readonly since: Date; readonly now: Date },
): HeartbeatFinding {
  const doneAt = done ?? since;
  if (fail !== null && (done === null || fail >= done)) {
    return failed('heartbeat-failed', `the job said at ${fail.toISOString()} that it failed`);
  }
  const lastAt = Math.max(doneAt.getTime(), since.getTime());
  const dueAt = lastAt + (periodSeconds + graceSeconds) * 1_000;
  if (now.getTime() <= dueAt) return OK;
  // It works longer than it did. A begin after that is no sign of life: the job may die each time.
  const beganInTime = (startMs: number): boolean => startMs <= dueAt && now.getTime() <= startMs + graceSeconds * 1_000;
  if (start !== null && start > doneAt && beganInTime(start.getTime())) return OK;
  const last = done === null ? 'the job never reported' : `the job reported last at ${done.toISOString()}`;
  return failed('no-heartbeat', last);
}

function failed(problem: Problem, message: string): HeartbeatFinding {
  return { outcome: 'failed', problem, message };
}
