import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Checkpoint, CheckpointStore } from '../../../domain/audit-ledger/checkpoint.ts';
import { collect } from './collect.ts';

const checkpoint = (namespace: string | null, hour: number): Checkpoint => ({
  namespace,
  size: hour,
  head: `0x${'ab'.repeat(32)}`,
  time: new Date(Date.UTC(2026, 10, 21, hour)),
  note: `note ${hour}`,
});

/** What every {@link CheckpointStore} guarantees. */
export function checkpointStoreSuite(store: CheckpointStore): void {
  describe('CheckpointStore', () => {
    it('keeps the first of a namespace and time, also when it is written again', async () => {
      await store.insert(checkpoint('one', 1));
      await store.insert({ ...checkpoint('one', 1), size: 99 });
      assert.deepEqual(await store.newest('one', 10), [checkpoint('one', 1)]);
    });

    it('gives the newest first, and streams all of a namespace oldest first', async () => {
      for (const hour of [3, 1, 2]) await store.insert(checkpoint('many', hour));
      await store.insert(checkpoint('others', 4));
      assert.deepEqual(
        (await store.newest('many', 2)).map(({ size }) => size),
        [3, 2],
      );
      assert.deepEqual(
        (await collect(store.stream('many'))).map(({ size }) => size),
        [1, 2, 3],
      );
    });

    it('streams those of a time, its start and end included', async () => {
      for (const hour of [1, 2, 3, 4]) await store.insert(checkpoint('timed', hour));
      const times = { from: checkpoint('timed', 2).time, to: checkpoint('timed', 3).time };
      assert.deepEqual(
        (await collect(store.stream('timed', times))).map(({ size }) => size),
        [2, 3],
      );
    });

    it('tells the whole ledger from every namespace', async () => {
      await store.insert(checkpoint(null, 5));
      assert.deepEqual(await store.newest(null, 10), [checkpoint(null, 5)]);
      assert.deepEqual(await store.newest('ledger', 10), []);
    });
  });
}
