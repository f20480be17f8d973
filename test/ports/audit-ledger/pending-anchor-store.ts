import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PendingAnchor, PendingAnchorStore } from '../../../domain/audit-ledger/anchoring-ports.ts';

const pendingAnchor = (changes: Partial<PendingAnchor> = {}): PendingAnchor => ({
  batchId: '2026-01-01',
  chainId: 31_337,
  from: '0x00000000000000000000000000000000000000aa',
  to: '0x00000000000000000000000000000000000000c0',
  data: '0xabcdef',
  nonce: 5,
  gasLimit: 90_000n,
  transactions: [
    {
      hash: `0x${'4'.repeat(64)}`,
      raw: '0x02f8',
      // More than a double holds exactly.
      maxFeePerGas: 12_345_678_901_234_567_890n,
      maxPriorityFeePerGas: 1n,
      signedAt: new Date('2026-01-02T00:10:00Z'),
    },
  ],
  ...changes,
});

/** What every {@link PendingAnchorStore} guarantees. `fresh` gives an empty one. */
export function pendingAnchorStoreSuite(fresh: () => Promise<PendingAnchorStore>): void {
  describe('PendingAnchorStore', () => {
    it('gives back what was put, amounts to the last wei, and later puts replace it', async () => {
      const store = await fresh();
      assert.equal(await store.find('2026-01-01', 31_337), null);
      await store.put(pendingAnchor());
      assert.deepEqual(await store.find('2026-01-01', 31_337), pendingAnchor());
      assert.equal(await store.find('2026-01-01', 31_338), null);
      await store.put(pendingAnchor({ nonce: 6, transactions: [] }));
      assert.deepEqual(await store.find('2026-01-01', 31_337), pendingAnchor({ nonce: 6, transactions: [] }));
    });

    it('finds who uses a nonce, the newest day first', async () => {
      const store = await fresh();
      await store.put(pendingAnchor());
      await store.put(pendingAnchor({ batchId: '2026-01-02' }));
      await store.put(pendingAnchor({ batchId: '2026-01-03', chainId: 31_338 }));
      const { from } = pendingAnchor();
      assert.equal((await store.findByNonce(31_337, from, 5))?.batchId, '2026-01-02');
      assert.equal(await store.findByNonce(31_337, from, 6), null);
      assert.equal(await store.findByNonce(31_337, '0x00000000000000000000000000000000000000bb', 5), null);
    });
  });
}
