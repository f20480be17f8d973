import { FairleadError } from '../../domain/errors.ts';
import { planKeyRotation } from '../../domain/identity/plan-key-rotation.ts';
import type { KeyRotation, PlannedRotation } from '../../domain/identity/ports.ts';
import { type ChangeKeysDeps, changeKeySet } from './change-key-set.ts';

/**
 * Carries out what is due for the signing keys, the very first pair included. Of many callers at once one writes each
 * step: the others find it done. Idempotent without `force`.
 * @throws CONFLICT with `details.notBefore` when a rotation by hand comes too early; UNAVAILABLE
 */
export async function rotateKeys(
  deps: ChangeKeysDeps,
  { force }: { force: boolean },
  tell?: (planned: PlannedRotation) => Promise<void>,
): Promise<KeyRotation> {
  const { plan, created, keys } = await changeKeySet(
    deps,
    (set) => {
      const planned = planKeyRotation(set, deps.now(), force);
      if (planned.notBefore !== null) throw tooEarly(planned.notBefore);
      return planned;
    },
    async ({ activated, retired, removed, create }, version) =>
      tell?.({ activated, retired, removed, create, version }),
  );
  const { activated, retired, removed } = plan;
  return { activated, retired, removed, created: created.map(({ id }) => id), keys };
}

function tooEarly(notBefore: Date): FairleadError {
  const when = notBefore.toISOString();
  const message = `Verifiers may not know the next key yet: rotate by hand from ${when} on`;
  return new FairleadError('CONFLICT', message, { details: { notBefore: when } });
}
