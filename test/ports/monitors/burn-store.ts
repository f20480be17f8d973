import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { BurnState } from '../../../domain/monitors/objective.ts';
import type { BurnStore } from '../../../domain/monitors/ports.ts';

const AT = new Date('2026-11-01T10:00:00Z');

/** What every {@link BurnStore} guarantees. Monitors are new for each test. */
export function burnStoreSuite(store: () => BurnStore): void {
  describe('BurnStore', () => {
    const newState = (): BurnState => ({
      ...{ monitorId: `mon_${randomBytes(6).toString('hex')}`, revision: 1 },
      ...{ active: [{ alert: 'fast', since: AT }], untold: { event: 'burning', at: AT } },
    });

    it('gives back what was written, and leaves out monitors without any', async () => {
      const [state, none] = [newState(), newState()];
      assert.equal(await store().write(state), true);
      assert.deepEqual(await store().find([state.monitorId, none.monitorId]), new Map([[state.monitorId, state]]));
    });

    it('gives back since when it burnt, and reads what an earlier version wrote without it', async () => {
      for (const untold of [{ event: 'steady', at: AT, since: AT } as const, { event: 'steady', at: AT } as const]) {
        const state: BurnState = { ...newState(), active: [], untold };
        await store().write(state);
        assert.deepEqual((await store().find([state.monitorId])).get(state.monitorId), state);
      }
    });

    it('takes the next revision alone, of two who write it the first', async () => {
      const state = newState();
      await store().write(state);
      const next: BurnState = { ...state, untold: null, revision: 2 };
      assert.deepEqual(
        [await store().write(state), await store().write({ ...next, revision: 3 }), await store().write(next)],
        [false, false, true],
      );
      assert.equal(await store().write({ ...next, active: [] }), false);
      assert.deepEqual((await store().find([state.monitorId])).get(state.monitorId), next);
    });

    it('forgets that of one monitor', async () => {
      const [gone, stays] = [newState(), newState()];
      for (const state of [gone, stays]) await store().write(state);
      await store().remove(gone.monitorId);
      await store().remove(gone.monitorId);
      assert.deepEqual([...(await store().find([gone.monitorId, stays.monitorId])).keys()], [stays.monitorId]);
    });
  });
}
