import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { HeartbeatStore } from '../../../domain/monitors/heartbeat.ts';

const at = (minute: number): Date => new Date(Date.parse('2026-11-01T10:00:00Z') + minute * 60_000);

/** What every {@link HeartbeatStore} guarantees. Monitors are new for each test. */
export function heartbeatStoreSuite(store: () => HeartbeatStore): void {
  describe('HeartbeatStore', () => {
    const newId = (): string => `mon_${randomBytes(6).toString('hex')}`;

    it('gives back when each signal came last, and leaves out monitors without any', async () => {
      const [first, second, none] = [newId(), newId(), newId()];
      await store().put(first, 'start', at(1));
      await store().put(first, 'done', at(2));
      await store().put(second, 'fail', at(3));
      assert.deepEqual(
        await store().find([first, second, none]),
        new Map([
          [first, { start: at(1), done: at(2), fail: null }],
          [second, { start: null, done: null, fail: at(3) }],
        ]),
      );
    });

    it('keeps the latest of a signal, whatever the order', async () => {
      const id = newId();
      for (const minute of [2, 5, 3]) await store().put(id, 'done', at(minute));
      assert.deepEqual((await store().find([id])).get(id)?.done, at(5));
    });

    it('forgets those of one monitor', async () => {
      const [gone, stays] = [newId(), newId()];
      for (const id of [gone, stays]) await store().put(id, 'done', at(1));
      await store().remove(gone);
      await store().remove(gone);
      assert.deepEqual([...(await store().find([gone, stays])).keys()], [stays]);
    });

    it('loses none of many at once', async () => {
      const ids = Array.from({ length: 20 }, newId);
      const puts = ids.flatMap((id) => [1, 2, 3, 4, 5].map((minute) => store().put(id, 'done', at(minute))));
      await Promise.all(puts);
      const found = await store().find(ids);
      assert.deepEqual(
        ids.map((id) => found.get(id)?.done),
        ids.map(() => at(5)),
      );
    });
  });
}
