import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import {
  BUILD_SLOTS_WORKFLOW_ID,
  buildWorkflowId,
  cleanUpWorkflowId,
  SLOT_GRANTED,
  WORKFLOW_TYPES,
} from '../../../domain/deploys/messages.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { buildRequest } from '../../ports/records.ts';
import { workflowDirectorySuite } from '../../ports/workflow-directory.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createFakeActivities, createTemporal } from './harness.ts';

describe('grantBuildSlots', () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  before(async () => {
    temporal = await createTemporal();
  });
  after(() => temporal.stop());

  workflowDirectorySuite(() => ({
    directory: temporal.directory,
    // Any workflow that goes on by itself: one that keeps slots is not ended by time while a build holds one.
    async start(workflowId) {
      const holder = { buildId: 'bld_holder', workflowId, environment: 'prod', limit: 1 } as const;
      const args = [{ holders: [holder], waiting: [] }];
      await temporal.client.workflow.start(WORKFLOW_TYPES.grantBuildSlots, { workflowId, taskQueue: TASK_QUEUE, args });
    },
    end: async (workflowId) => void (await temporal.client.workflow.getHandle(workflowId).terminate()),
    async wasGranted(workflowId) {
      const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
      const signals = (events ?? []).map((event) => event.workflowExecutionSignaledEventAttributes?.signalName);
      return signals.includes(SLOT_GRANTED);
    },
    whenPruning(work) {
      const pruneImages = () => work().then(() => ({ removed: 0, reclaimedBytes: 0 }));
      temporal.setActivities(createFakeActivities(temporal.directory, { pruneImages }).activities);
    },
    async cleanUpRun(buildId) {
      const handle = temporal.client.workflow.getHandle(cleanUpWorkflowId(buildId));
      const found = await handle.describe().catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return null;
        throw error;
      });
      return found?.runId ?? null;
    },
  }));

  const start = (request: BuildRequest) =>
    temporal.client.workflow.start('runBuild', {
      workflowId: buildWorkflowId(request.buildId),
      taskQueue: TASK_QUEUE,
      args: [request],
    });

  it('runs three builds at once, and production goes before builds that wait longer', async () => {
    const waiting = new Map<string, () => void>();
    let most = 0;
    const { activities, journal } = createFakeActivities(temporal.directory);
    activities.fetchSource = (input) =>
      new Promise((resolve) => {
        const { buildId } = input.build;
        waiting.set(buildId, () => {
          waiting.delete(buildId);
          resolve({ facts: {} });
        });
        most = Math.max(most, waiting.size);
      });
    await temporal.withActivities(activities, async () => {
      const holders = [1, 2, 3].map(() => buildRequest({ environment: 'sandbox' }));
      for (const request of holders) await start(request);
      await waitUntil('three builds to hold a slot', () => waiting.size === 3);
      const uat = buildRequest({ environment: 'uat' });
      const prod = buildRequest({ environment: 'prod' });
      const handles = [await start(uat), await start(prod)];
      const slots = temporal.client.workflow.getHandle(BUILD_SLOTS_WORKFLOW_ID);
      await waitUntil('all five requests for a slot', async () => {
        const { events } = await slots.fetchHistory();
        return (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes).length >= 5;
      });
      waiting.get(holders[0]?.buildId ?? '')?.();
      await waitUntil('the build of prod to get a slot', () => waiting.has(prod.buildId));
      assert.ok(!waiting.has(uat.buildId), 'uat waits although it asked first');
      for (const request of [holders[1], holders[2], prod]) waiting.get(request?.buildId ?? '')?.();
      await waitUntil('the build of uat to get a slot', () => waiting.has(uat.buildId));
      waiting.get(uat.buildId)?.();
      await Promise.all(handles.map((handle) => handle.result()));
      assert.equal(most, 3);
      assert.equal(journal.filter((entry) => entry.endsWith(' completed')).length, 5);
    });
  });

  it('a build of an org without one begins although another org holds all slots, and that org keeps its limit', async () => {
    const building = new Set<string>();
    const { promise: released, resolve: letGo } = Promise.withResolvers<void>();
    const { activities, journal } = createFakeActivities(temporal.directory);
    activities.requestSlot = (request) => temporal.directory.requestSlot({ ...request, limit: 2 });
    activities.fetchSource = async (input) => {
      building.add(input.build.buildId);
      await released;
      return { facts: {} };
    };
    await temporal.withActivities(activities, async () => {
      const crowd = [1, 2, 3, 4].map(() => buildRequest({ org: 'crowd' }));
      const other = buildRequest({ org: 'other', environment: 'sandbox' });
      for (const request of crowd) await start(request);
      await waitUntil('the crowd to hold all slots', () => building.size === 2);
      await start(other);
      await waitUntil('the build of the other org', () => building.has(other.buildId));
      assert.equal(building.size, 3, 'the rest of the crowd waits');
      letGo();
      // Not by their results: who waits for one lets time be skipped, and builds that wait for a slot are given up.
      const completed = () => journal.filter((entry) => entry.endsWith(' completed')).length;
      await waitUntil('all builds to be completed', () => completed() === 5);
    });
  });

  it('frees the slot of a terminated build', async () => {
    const held: string[] = [];
    const { activities } = createFakeActivities(temporal.directory);
    let letGo = () => {};
    const released = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    activities.requestSlot = (request) => temporal.directory.requestSlot({ ...request, limit: 1 });
    activities.fetchSource = async (input) => {
      held.push(input.build.buildId);
      await released;
      return { facts: {} };
    };
    activities.listClosedBuilds = async (buildIds) => {
      const states = await Promise.all(
        buildIds.map(async (id) => [id, await temporal.directory.isRunning(buildWorkflowId(id))] as const),
      );
      return states.filter(([, running]) => !running).map(([id]) => id);
    };
    await temporal.withActivities(activities, async () => {
      const first = buildRequest();
      const second = buildRequest();
      const handle = await start(first);
      await waitUntil('the first build to hold a slot', () => held.includes(first.buildId));
      const waiting = await start(second);
      await handle.terminate('operator');
      letGo();
      await temporal.env.sleep('20s');
      await waiting.result();
      assert.deepEqual(held, [first.buildId, second.buildId]);
    });
  });

  it('a coordinator knows no build of a run before it, also where it began before that build ended', async () => {
    const { activities } = createFakeActivities(temporal.directory);
    await temporal.withActivities(activities, async () => {
      const build = buildRequest();
      // Begun by a run of the coordinator that was terminated since.
      const args = [{ holders: [{ ...build, workflowId: buildWorkflowId(build.buildId), limit: 1 }], waiting: [] }];
      const options = { workflowId: buildWorkflowId(build.buildId), taskQueue: TASK_QUEUE, args };
      const orphan = await temporal.client.workflow.start(WORKFLOW_TYPES.grantBuildSlots, options);
      await temporal.directory.requestRepair(build);
      await orphan.terminate('operator');
      assert.equal(await temporal.directory.isInHand(build, build.buildId), false);
    });
  });
});
