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
