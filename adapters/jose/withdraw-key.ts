import { FairleadError } from '../../domain/errors.ts';
import { planKeyWithdrawal } from '../../domain/identity/plan-key-withdrawal.ts';
import type { KeyWithdrawal } from '../../domain/identity/ports.ts';
import { type ChangeKeysDeps, changeKeySet } from './change-key-set.ts';

/** Takes a key out of use at once. Idempotent. @throws NOT_FOUND when there is no such key; UNAVAILABLE */
export async function withdrawKey(deps: ChangeKeysDeps, keyId: string): Promise<KeyWithdrawal> {
  const { plan, created, keys } = await changeKeySet(deps, (set) => {
    const planned = planKeyWithdrawal(set, keyId, deps.now());
    if (planned === null) throw new FairleadError('NOT_FOUND', `There is no signing key ${keyId}`);
    return planned;
  });
  const first = created.find(({ state }) => state === 'active');
  return { activated: plan.activated ?? first?.id ?? null, created: created.map(({ id }) => id), keys };
}
