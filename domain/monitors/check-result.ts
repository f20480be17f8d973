/**
 * What one check found. `slow` is an answer over the budget, or a certificate that ends soon. `unknown`: the prober could
 * not tell, since its own network failed or it may not look there: it counts neither as an answer nor as a failure.
 */
export const OUTCOMES = ['ok', 'slow', 'failed', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Why a check failed or was slow. Stored by position: add new ones at the end. */
export const PROBLEMS = [
  'timeout',
  'dns',
  'refused',
  'connection',
  'tls',
  'certificate-expired',
  'certificate-name',
  'certificate-ends-soon',
  'status',
  'body',
  'json',
  'redirect',
  'protocol',
  'latency',
  'blocked-address',
  'no-heartbeat',
  'heartbeat-failed',
  'other',
  'no-secret',
] as const;
export type Problem = (typeof PROBLEMS)[number];

export interface CheckResult {
  /** When the check began: milliseconds since 1970, by the database's clock. */
  readonly at: number;
  readonly outcome: Outcome;
  /** Whole milliseconds until it was decided; 0 for a heartbeat. */
  readonly durationMs: number;
  /** Null for `ok`. */
  readonly problem: Problem | null;
  /** The HTTP status, where there was one. */
  readonly status: number | null;
}

/** A result as the prober gives it. */
export interface MonitorResult extends CheckResult {
  readonly monitorId: string;
  /** What was seen, in a sentence of at most {@link MOST_MESSAGE_CHARACTERS}, without secrets; null for `ok`. */
  readonly message: string | null;
}

export const MOST_MESSAGE_CHARACTERS = 200;

/** A monitor whose outcome changed is checked once more after this, so that one lost packet tells nobody anything. */
export const CONFIRM_AFTER_MS = 5_000;

export function isFailure({ outcome }: Pick<CheckResult, 'outcome'>): boolean {
  return outcome === 'failed';
}
