import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { SigningKeyFactory, SigningKeyStore } from '../../domain/identity/ports.ts';
import type { KeySet, SigningKey, WithdrawnKey } from '../../domain/identity/signing-key.ts';

/** Each lost race means that another process made progress, so this is far more than ever needed. */
const ATTEMPTS = 10;

export interface ChangeKeysDeps {
  readonly store: SigningKeyStore;
  readonly factory: SigningKeyFactory;
  readonly now: Clock;
}

/** What every plan for the key set says. */
export interface KeySetPlan {
  readonly keys: readonly SigningKey[];
  /** Left out: they stay as they are. */
  readonly withdrawn?: readonly WithdrawnKey[];
  readonly create: readonly ('active' | 'next')[];
  readonly unchanged: boolean;
}

export interface ChangedKeySet<Plan> {
  readonly plan: Plan;
  readonly created: readonly SigningKey[];
  /** All keys there are afterwards. */
  readonly keys: readonly SigningKey[];
}

/**
 * Plans a change of the signing keys and carries it out. Of many callers at once one writes: the others plan again on
 * what it left.
 * @throws UNAVAILABLE; whatever `plan` and `tell` throw
 */
export async function changeKeySet<Plan extends KeySetPlan>(
  deps: ChangeKeysDeps,
  plan: (set: KeySet) => Plan,
  /** Tells what is about to be done, before it is written. */
  tell: (plan: Plan, version: number) => Promise<void> = async () => undefined,
): Promise<ChangedKeySet<Plan>> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const set = await deps.store.read();
    const planned = plan(set);
    if (planned.unchanged) return { plan: planned, created: [], keys: set.keys };
    const created = await createKeys(deps, planned.create);
    const keys = [...planned.keys, ...created];
    await tell(planned, set.version);
    if (await deps.store.write(set.version, keys, planned.withdrawn)) return { plan: planned, created, keys };
  }
  throw new FairleadError('UNAVAILABLE', 'Another process is changing the signing keys; try again', {
    retryable: true,
  });
}

async function createKeys(deps: ChangeKeysDeps, states: KeySetPlan['create']): Promise<SigningKey[]> {
  const keys: SigningKey[] = [];
  for (const state of states) {
    const key = await deps.factory.create();
    keys.push(state === 'active' ? { ...key, state, activatedAt: key.createdAt } : key);
  }
  return keys;
}
