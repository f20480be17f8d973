import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { OrdersToPlay, PlayedOrders } from '../../support/interleaving/play-orders.worker.ts';
import { isPlayed } from '../../support/is-played.ts';

/** Each seed is one order; `SEEDS=17-18` plays one alone. */
const INTERLEAVINGS = 2_000;
const [FIRST = 0, END = INTERLEAVINGS] = (process.env.SEEDS ?? '').split('-').filter(Boolean).map(Number);
const SEEDS = Array.from({ length: END - FIRST }, (_, index) => FIRST + index);

/** Some of them end builds and workflows in each of these ways: without them an order shows nothing about it. */
const ENDS = [
  ...['retry completed', 'rollback completed', 'restart completed'],
  ...['retry failed step_failed', 'retry failed superseded', 'retry failed cancelled', 'retry failed abandoned'],
  ...['removeService completed', 'removeService failed', 'cleanUpAfterBuild completed', 'reconcileDeploys completed'],
  ...['runBuild terminated', 'coordinateDeploys terminated', 'coordinateDeploys continued as new'],
];

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
  it('the route leads to the active release or nowhere, the code of a completed build serves, and everything ends', {
    timeout: 590_000,
  }, async () => {
    const seeds = process.env.SEEDS === undefined ? SEEDS.filter((seed) => isPlayed(seed)) : SEEDS;
    const { seed, violations, ends } = await playOrders({ seeds, isCareless: false });
    assert.deepEqual({ seed, violations }, { seed: null, violations: [] });
    if (process.env.SEEDS !== undefined) return;
    assert.deepEqual(
      ENDS.filter((end) => ends[end] === undefined),
      [],
    );
  });

  it('finds what goes wrong where the router does not compare epochs', async () => {
    const { seed, violations } = await playOrders({ seeds: SEEDS, isCareless: true });
    assert.ok(seed !== null && violations.length > 0, 'no order of events shows it');
  });
});
