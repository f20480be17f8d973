import { FairleadError } from '../errors.ts';
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
  /**
   * Starts a verification, or joins the one of the same request that is under way.
   * @param owner slug of the org that may ask for the result
   * @returns its id
   * @throws RATE_LIMITED while the org has {@link VERIFICATIONS_AT_ONCE} others under way; UNAVAILABLE
   */
  start(owner: string, request: HistoryRequest): Promise<string>;
  /** Null for one that does not exist, or is another org's. @throws UNAVAILABLE */
  find(id: string, owner: string): Promise<VerificationRun | null>;
}

/** Each may read the whole ledger: an org has no more under way, so that none takes the workers from all others. */
export const VERIFICATIONS_AT_ONCE = 2;

export function tooManyVerifications(owner: string): FairleadError {
  const message = `${owner} has ${VERIFICATIONS_AT_ONCE} verifications under way: wait until one of them has ended`;
  return new FairleadError('RATE_LIMITED', message);
}

/** Events that a request is kept waiting for; more are verified in the background. */
export const VERIFIED_AT_ONCE = 20_000;
