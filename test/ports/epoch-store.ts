import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EpochStore } from '../../domain/deploys/build-store.ts';
import { EPOCH_STEP } from '../../domain/deploys/epoch.ts';

/** What every {@link EpochStore} guarantees. */
export function epochStoreSuite(store: () => EpochStore): void {
  describe('EpochStore', () => {
    it('each epoch of a service and environment is greater than all before it, with room for its attempts and its undo', async () => {
      const target = { service: 'ordered', environment: 'prod' } as const;
      const epochs = [await store().next(target), await store().next(target), await store().next(target)];
      assert.ok((epochs[0] ?? 0) > 0);
      for (const [index, epoch] of epochs.entries())
        assert.ok(epoch >= (epochs[index - 1] ?? -EPOCH_STEP) + EPOCH_STEP);
    });

    it('20 that ask at once get 20 epochs; another environment counts for itself', async () => {
      const target = { service: 'asked', environment: 'prod' } as const;
      const epochs = await Promise.all(Array.from({ length: 20 }, () => store().next(target)));
      assert.equal(new Set(epochs).size, 20);
      const elsewhere = await store().next({ ...target, environment: 'uat' });
      assert.ok(elsewhere < Math.max(...epochs));
    });
  });
}
