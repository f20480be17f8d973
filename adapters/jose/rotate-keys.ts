import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type KeyRotationPlan, planKeyRotation } from '../../domain/identity/plan-key-rotation.ts';
import type { KeyRotation, SigningKeyFactory, SigningKeyStore } from '../../domain/identity/ports.ts';
import type { SigningKey } from '../../domain/identity/signing-key.ts';

/** Each lost race means that another process made progress, so this is far more than ever needed. */
const ATTEMPTS = 10;

export interface RotateKeysDeps {
  readonly store: SigningKeyStore;
  readonly factory: SigningKeyFactory;
  readonly now: Clock;
}

/**
 * Carries out what is due for the signing keys, the very first pair included. Of many callers at once one writes each
 * step: the others find it done. Idempotent without `force`.
 * @throws CONFLICT with `details.notBefore` when a rotation by hand comes too early; UNAVAILABLE
 */
export async function rotateKeys(deps: RotateKeysDeps, { force }: { force: boolean }): Promise<KeyRotation> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const set = await deps.store.read();
    const plan = planKeyRotation(set, deps.now(), force);
    if (plan.notBefore !== null) throw tooEarly(plan.notBefore);
    if (plan.unchanged) return outcome(plan, [], set.keys);
    const created = await createKeys(deps, plan.create);
    const keys = [...plan.keys, ...created];
    if (await deps.store.write(set.version, keys)) return outcome(plan, created, keys);
  }
  throw new FairleadError('UNAVAILABLE', 'Another process is changing the signing keys; try again', {
    retryable: true,
  });
}

async function createKeys(deps: RotateKeysDeps, states: KeyRotationPlan['create']): Promise<SigningKey[]> {
  const keys: SigningKey[] = [];
  for (const state of states) {
    const key = await deps.factory.create();
    keys.push(state === 'active' ? { ...key, state, activatedAt: key.createdAt } : key);
  }
  return keys;
}

function outcome(plan: KeyRotationPlan, created: readonly SigningKey[], keys: readonly SigningKey[]): KeyRotation {
  const { activated, retired, removed } = plan;
  return { activated, retired, removed, created: created.map(({ id }) => id), keys };
}

function tooEarly(notBefore: Date): FairleadError {
  const when = notBefore.toISOString();
  const message = `Verifiers may not know the next key yet: rotate by hand from ${when} on`;
  return new FairleadError('CONFLICT', message, { details: { notBefore: when } });
}
