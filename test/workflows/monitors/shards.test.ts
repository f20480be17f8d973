import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Context } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { whileHeartbeating } from '../../../activities/while-heartbeating.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { MONITOR_WORKFLOWS, shardWorkflowId } from '../../../domain/monitors/messages.ts';
import { SHARDS } from '../../../domain/monitors/monitor.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';
import { waitUntil } from '../../support/wait-until.ts';

const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);

describe('shards of monitors', { timeout: 120_000 }, () => {
  let env: TestWorkflowEnvironment;
  let worker: ModuleWorker;
  const held: number[] = [];
  const released = Promise.withResolvers<void>();
  /** What a holder does at first; it then holds until the end of the test. */
  let atFirst: (shard: number) => Promise<void>;
  let ping: () => Promise<string>;
  before(async () => {
    env = await startTimeSkipping();
    const holdShard = async (shard: number): Promise<string> => {
      held.push(shard);
      await atFirst(shard);
      return await whileHeartbeating(async () => {
        await released.promise;
        return 'over';
      });
    };
    const activities = { holdShard, pingDeadMan: () => ping() };
    worker = await startModuleWorker(env.nativeConnection, { module: 'monitors', activities });
  });
  beforeEach(() => {
    held.length = 0;
    atFirst = async () => undefined;
    ping = async () => 'unset';
  });
  after(async () => {
    released.resolve();
    await worker.stop();
    await env.teardown();
  });

  const startShards = (workflowId: string) =>
    env.client.workflow.execute(MONITOR_WORKFLOWS.startShards, { taskQueue: TASK_QUEUE, workflowId });
  const end = (shard: number) => env.client.workflow.getHandle(shardWorkflowId(shard)).terminate();
  const watch = (shard: number) =>
    env.client.workflow.start(MONITOR_WORKFLOWS.watchShard, {
      ...{ taskQueue: TASK_QUEUE, workflowId: shardWorkflowId(shard), args: [shard] },
    });

  it('have one holder each, however often they are started, and one that is gone gets another', async () => {
    await startShards('first');
    await waitUntil('all are held', () => held.length === SHARDS);
    await startShards('second');
    assert.deepEqual(held.toSorted(), ALL);
    await end(2);
    await startShards('third');
    await waitUntil('it is held again', () => held.length === SHARDS + 1);
    assert.equal(held.at(-1), 2);
    for (const shard of ALL) await end(shard);
  });

  it('are started also where the address that waits for the monitor does not answer, which is called once each time', async () => {
    let calls = 0;
    ping = async () => {
      calls += 1;
      throw new FairleadError('UNAVAILABLE', 'hc.example.com answered 500', { retryable: true });
    };
    await startShards('unheard');
    await waitUntil('all are held', () => held.length === SHARDS);
    assert.equal(calls, 1);
    for (const shard of ALL) await end(shard);
  });

  it('get another holder when nothing is heard of one', async () => {
    atFirst = async () => {
      // One whose worker was killed.
      if (held.length === 1) await Context.current().cancelled.catch(() => undefined);
    };
    await watch(0);
    await waitUntil('there is another', () => held.length === 2);
    await end(0);
  });

  it('get another holder after one that failed for good', async () => {
    atFirst = async () => {
      if (held.length === 1) throw new FairleadError('INTERNAL', 'a mistake in the program');
    };
    await watch(1);
    await env.sleep('10s');
    await waitUntil('there is another', () => held.length === 2);
    await end(1);
  });
});
