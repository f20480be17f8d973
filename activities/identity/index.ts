/*
 * The identity provider's background work: its signing keys are rotated.
 *
 * Keying: one run at a time, by the schedule `rotate-signing-keys` and its overlap policy. Where the key set is, the
 * provider writes it only on the version it read: of two runs at once one makes each step, the other finds it done.
 * Retries: from 5 s to 1 min apart for 25 min, so that a run has ended before the next one of the hour begins.
 * Compensation: none. A run that came late, twice or not at all leaves keys that are valid; the next does what is due.
 */
import { Context } from '@temporalio/activity';
import type { KeyRotationOutcome, KeyRotator } from '../../domain/identity/messages.ts';

export interface IdentityDeps {
  readonly keys: KeyRotator;
}

/** The activities of the identity workflows. */
export function createIdentityActivities(deps: IdentityDeps) {
  return {
    /** Idempotent: what was done before is not due any more. */
    rotateDueKeys: (): Promise<KeyRotationOutcome> => deps.keys.rotateDue(Context.current().cancellationSignal),
  };
}

export type IdentityActivities = ReturnType<typeof createIdentityActivities>;
