import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ensureSearchAttributes } from '../../adapters/temporal/search-attributes.ts';
import { SEARCH_ATTRIBUTES } from '../../domain/search-attributes.ts';
import { startWorkerWithLongWork } from '../support/long-work.ts';
import { startTemporal, type TestTemporal } from '../support/start-temporal.ts';

describe('long work', { timeout: 300_000 }, () => {
  let temporal: TestTemporal;
  let worker: Awaited<ReturnType<typeof startWorkerWithLongWork>>;
  before(async () => {
    temporal = await startTemporal();
    await ensureSearchAttributes(temporal.client, Object.values(SEARCH_ATTRIBUTES));
    worker = await startWorkerWithLongWork(temporal.client, { address: temporal.address, namespace: 'default' });
  });
  after(async () => {
    await worker.stop();
    await temporal.stop();
  });

  it('of which 30 activities run and 100 wait keeps no build from its first step, nor from its end', async () => {
    await worker.hold(100);
    assert.equal(worker.running(), 30);
    assert.equal(await worker.waiting(), 100);
    for (let build = 0; build < 3; build += 1) assert.ok((await worker.firstStep()) > 0);
    assert.equal(worker.running(), 30, 'none of them had to end for it');
    assert.equal(await worker.waiting(), 100);
  });
});
