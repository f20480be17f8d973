import type { HistoryRequest, HistoryVerdict } from './verify-history.ts';

/** A verification that runs in the background, because its chains are long. */
export interface VerificationRun {
  /** `ver_…` */
  readonly id: string;
  readonly status: 'running' | 'completed' | 'failed';
  /** Null until it is completed. */
  readonly verdict: HistoryVerdict | null;
}

/** Runs verifications in the background. */
export interface VerificationRuns {
  /** @param owner slug of the org that may ask for the result @throws UNAVAILABLE */
  start(id: string, owner: string, request: HistoryRequest): Promise<void>;
  /** Null for one that does not exist, or is another org's. @throws UNAVAILABLE */
  find(id: string, owner: string): Promise<VerificationRun | null>;
}

/** Events that a request is kept waiting for; more are verified in the background. */
export const VERIFIED_AT_ONCE = 20_000;
