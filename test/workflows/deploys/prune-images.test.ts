import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from '@temporalio/client';
import { PRUNE_WORKFLOW_ID, WORKFLOW_TYPES } from '../../../domain/deploys/messages.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createFakeActivities, createTemporal } from './harness.ts';

describe('pruneImages', () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  let client: Client;
  before(async () => {
    temporal = await createTemporal();
    // A client under which no time is skipped: what is held is held for no time of the server.
    client = new Client({ connection: temporal.env.connection });
  });
  after(() => temporal.stop());

  /** As the schedule does, which names its runs by their time. */
  const daily = (day: string): Promise<unknown> =>
    client.workflow.execute(WORKFLOW_TYPES.pruneImages, {
      taskQueue: TASK_QUEUE,
      workflowId: `${PRUNE_WORKFLOW_ID}-${day}`,
      args: [],
    });

  it('the daily run leaves it to one that is at work', async () => {
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const { activities } = createFakeActivities(temporal.directory, {
      pruneImages: async () => {
        runs += 1;
        await gate.promise;
        return { removed: 2, reclaimedBytes: 10 };
      },
    });
    await temporal.withActivities(activities, async () => {
      await temporal.directory.startPrune({ restMs: 0 });
      await waitUntil('the pruning to run once', () => runs === 1);
      assert.equal(await daily('2026-01-01'), null);
      gate.resolve();
      await temporal.directory.awaitPrune(new AbortController().signal);
      assert.equal(runs, 1);
    });
  });

  it('the daily run prunes when nobody else does', async () => {
    const pruned = { removed: 2, reclaimedBytes: 10 };
    const { activities } = createFakeActivities(temporal.directory, { pruneImages: async () => pruned });
    await temporal.withActivities(activities, async () => assert.deepEqual(await daily('2026-01-02'), pruned));
  });
});

describe('reconcileDeploys', () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  before(async () => {
    temporal = await createTemporal();
  });
  after(() => temporal.stop());

  it('does every part although others fail, and then fails itself', async () => {
    const done: string[] = [];
    const fail = (name: string) => async () => {
      done.push(name);
      throw new FairleadError('UNAVAILABLE', `${name} failed`);
    };
    const { activities } = createFakeActivities(temporal.directory, {
      reconcileBuilds: fail('builds'),
      reconcileWorkloads: fail('workloads'),
      pruneWhenDiskIsLow: fail('disk'),
    });
    const run = temporal.withActivities(activities, () =>
      temporal.client.workflow.execute(WORKFLOW_TYPES.reconcileDeploys, {
        workflowId: 'reconcile-deploys',
        taskQueue: TASK_QUEUE,
        args: [],
      }),
    );
    const messages = await run.then(
      (): string[] => [],
      (error: unknown) => messagesOf(error),
    );
    assert.ok(messages.includes('builds failed'), messages.join('; '));
    assert.deepEqual(done.toSorted(), ['builds', 'disk', 'workloads']);
  });
});

function messagesOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...messagesOf(error.cause)] : [];
}
