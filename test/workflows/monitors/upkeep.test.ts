import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { UpkeepActivities } from '../../../activities/monitors/upkeep.ts';
import { whileHeartbeating } from '../../../activities/while-heartbeating.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { MONITOR_WORKFLOWS, rollUpWorkflowId } from '../../../domain/monitors/messages.ts';
import { SHARDS } from '../../../domain/monitors/monitor.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';
import { waitUntil } from '../../support/wait-until.ts';

const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);
const mistake = () => new FairleadError('INTERNAL', 'a mistake in the program');

describe('what runs by the clock for monitors', { timeout: 240_000 }, () => {
  let env: TestWorkflowEnvironment;
  let worker: ModuleWorker;
  let rolledUp: number[];
  let told: number[];
  let work: (shard: number) => Promise<number>;
  let watch: UpkeepActivities['watchObjectives'];
  let reconcile: UpkeepActivities['reconcileMonitors'];
  let removals: number;
  before(async () => {
    env = await startTimeSkipping();
    const activities: UpkeepActivities = {
      rollUpShard: (shard) =>
        whileHeartbeating(async () => {
          const hours = await work(shard);
          rolledUp.push(shard);
          return hours;
        }),
      tellRollUpFailed: async (shard) => void told.push(shard),
      watchObjectives: (shard) => watch(shard),
      pingDeadMan: async () => 'unset',
      reconcileMonitors: () => reconcile(),
      removeArchivedMonitors: async () => {
        removals += 1;
        return 2;
      },
    };
    worker = await startModuleWorker(env.nativeConnection, { module: 'monitors', activities });
  });
  beforeEach(() => {
    [rolledUp, told, removals] = [[], [], 0];
    work = async () => 1;
    watch = async () => {};
    reconcile = async () => ({ known: 5, archived: 1, returned: 0, problem: null });
  });
  after(async () => {
    await worker.stop();
    await env.teardown();
  });

  const run = (workflowType: string, workflowId: string) =>
    env.client.workflow.execute(workflowType, { taskQueue: TASK_QUEUE, workflowId });
  const rollUps = (workflowId: string) => run(MONITOR_WORKFLOWS.rollUpMonitors, workflowId);
  const end = (shard: number) => env.client.workflow.getHandle(rollUpWorkflowId(shard)).result();

  it('a shard whose roll-up takes long delays no other, and has one at a time', async () => {
    const slow = Promise.withResolvers<void>();
    let begun = 0;
    work = async (shard) => {
      if (shard !== 1) return 1;
      begun += 1;
      await slow.promise;
      return 1;
    };
    await rollUps('first');
    await waitUntil('the others are rolled up', () => rolledUp.length === SHARDS - 1);
    await waitUntil('the slow one has begun', () => begun === 1);
    for (const shard of [0, 2, 3]) await end(shard);
    await rollUps('second');
    await waitUntil('the others are rolled up again', () => rolledUp.length === 2 * (SHARDS - 1));
    assert.equal(begun, 1);
    slow.resolve();
    for (const shard of ALL) await end(shard);
    assert.ok(rolledUp.includes(1));
  });

  it('error budgets are looked at by what was rolled up; where that fails, the next run looks', async () => {
    const looked: (readonly [number, number])[] = [];
    watch = async (shard) => {
      looked.push([shard, rolledUp.filter((each) => each === shard).length]);
      if (shard === 2) throw mistake();
    };
    await rollUps('budgets');
    for (const shard of ALL) await end(shard);
    assert.deepEqual(
      looked.toSorted(([one], [other]) => one - other),
      ALL.map((shard) => [shard, 1]),
    );
    assert.deepEqual(told, []);
  });

  it('a shard whose roll-up fails is told and left, and tried at the next run', async () => {
    work = async (shard) => {
      if (shard === 0) throw mistake();
      return 1;
    };
    await rollUps('third');
    await assert.rejects(end(0));
    for (const shard of [1, 2, 3]) await end(shard);
    assert.deepEqual([rolledUp.toSorted(), told], [[1, 2, 3], [0]]);
    work = async () => 1;
    await rollUps('fourth');
    for (const shard of ALL) await end(shard);
    assert.deepEqual(rolledUp.slice(3).toSorted(), ALL);
  });

  it('monitors that were archived for long enough are deleted, also while nobody knows what is served', async () => {
    const done = { known: 5, archived: 1, returned: 0, problem: null, removed: 2 };
    assert.deepEqual(await run(MONITOR_WORKFLOWS.reconcileMonitors, 'reconcile-1'), done);
    reconcile = async () => Promise.reject(mistake());
    await assert.rejects(run(MONITOR_WORKFLOWS.reconcileMonitors, 'reconcile-2'));
    assert.equal(removals, 2);
  });
});
