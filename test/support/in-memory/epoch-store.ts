import type { EpochStore } from '../../../domain/deploys/build-store.ts';
import { EPOCH_STEP } from '../../../domain/deploys/epoch.ts';
import { targetKey } from '../../../domain/ids.ts';

/** Epochs of this process. */
export function createInMemoryEpochStore(): EpochStore {
  const epochs = new Map<string, number>();
  return {
    async next({ service, environment }) {
      const key = targetKey(service, environment);
      const epoch = (epochs.get(key) ?? 0) + EPOCH_STEP;
      epochs.set(key, epoch);
      return epoch;
    },
  };
}
