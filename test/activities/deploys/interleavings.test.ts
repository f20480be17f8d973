import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { OrdersToPlay, PlayedOrders } from '../../support/interleaving/play-orders.worker.ts';

const INTERLEAVINGS = 2_000;
/** `SEEDS=17-18` plays one order alone. */
const [FIRST = 0, END = INTERLEAVINGS] = (process.env.SEEDS ?? '').split('-').filter(Boolean).map(Number);

/** In a thread of its own: the test runner watches each promise of its thread, which costs a third of the time. */
async function playOrders(orders: OrdersToPlay): Promise<PlayedOrders> {
  const worker = new Worker(new URL('../../support/interleaving/play-orders.worker.ts', import.meta.url), {
    workerData: orders,
  });
  const [played] = await once(worker, 'message');
  // What an order left waiting would keep the thread.
  await worker.terminate();
  return played;
}

describe('deploys in random orders, with workers that are killed and paused', () => {
  it('the route leads to the active release or nowhere, and the code of a completed build serves', {
    timeout: 300_000,
  }, async () => {
    assert.deepEqual(await playOrders({ first: FIRST, end: END, isCareless: false }), { seed: null, violations: [] });
  });

  it('finds what goes wrong where the router does not compare epochs', async () => {
    const { seed, violations } = await playOrders({ first: 0, end: INTERLEAVINGS, isCareless: true });
    assert.ok(seed !== null && violations.length > 0, 'no order of events shows it');
  });
});
