import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WaitingView } from '../../../domain/deploys/build-wait.ts';
import {
  coordinatorWorkflowId,
  GRANT_DECIDED,
  WAITING_BUILD,
  WORKFLOW_TYPES,
} from '../../../domain/deploys/messages.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import type { CoordinatorInput } from '../../../workflows/deploys/coordinator-input.ts';
import { buildRequest } from '../../ports/records.ts';
import { startDevServer } from '../../replay/dev-server-scenarios.ts';
import { hanging } from '../../replay/hanging.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { CATALOG, createFakeActivities, createTemporal, planOf } from './harness.ts';

/** More signals than one history is to hold on that server. */
const SIGNALS = 40;

describe('a coordinator that continues as new more than once', { timeout: 120_000 }, () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  before(async () => {
    temporal = await createTemporal(startDevServer);
  });
  after(() => temporal.stop());

  it('takes nothing of what it was begun with into the next run: no build runs twice, none is lost, none has the facts of another', async () => {
    const request = buildRequest({ waitForGrantsSeconds: 3_600 });
    const later = buildRequest({ service: request.service });
    const plan = planOf(request, CATALOG);
    const waits = plan.findIndex(({ key }) => key === 'scope-grants');
    const now = Date.now();
    const paused = {
      ...{
        request,
        plan: plan.slice(waits),
        attempts: 1,
        waits: 2,
        facts: { catalog: CATALOG, commitSha: 'a'.repeat(40) },
      },
      ...{ since: new Date(now).toISOString(), until: new Date(now + 3_600_000).toISOString() },
      failure: { code: 'SCOPE_GRANT_BLOCKED', message: 'grant sgr_1 is pending', step: 'scope-grants' },
    } as const;
    const held = hanging('installWorkload');
    const found: unknown[] = [];
    const rounds: unknown[] = [];
    const { activities, journal } = createFakeActivities(temporal.directory, {
      ...held.overrides,
      readSourceProgress: async () => ({ cloned: true, commitSha: 'a'.repeat(40) }),
      resolveHead: async () => ({ commit: 'c'.repeat(40), branch: 'main' }),
      requestSlot: (slot) => {
        rounds.push([slot.buildId, slot.round]);
        return temporal.directory.requestSlot({ ...slot, limit: 3 });
      },
    });
    const { fetchSource } = activities;
    activities.fetchSource = async (input) => {
      found.push(input.facts);
      return await fetchSource(input);
    };
    await temporal.withActivities(activities, async () => {
      const { service, environment } = request;
      const coordinator = coordinatorWorkflowId(service, environment);
      const args: [CoordinatorInput] = [{ service, environment, waiting: null, paused }];
      const first = await temporal.client.workflow.start(WORKFLOW_TYPES.coordinateDeploys, {
        ...{ workflowId: coordinator, taskQueue: TASK_QUEUE, args },
      });
      await waitUntil('the build that waited to install', held.begun);
      assert.equal((await temporal.commands.request(later)).deduplicated, false);
      for (let count = 0; count < SIGNALS; count += 1) await first.signal(GRANT_DECIDED);
      held.release();
      const completed = () => journal.filter((entry) => entry.endsWith(' completed'));
      await waitUntil('the later build', () => completed().includes(`${later.buildId} completed`), {
        withinMs: 60_000,
      });
      const run = temporal.client.workflow.getHandle(coordinator);
      assert.notEqual((await run.describe()).runId, first.firstExecutionRunId, 'it continued as new');
      assert.equal(await run.query<WaitingView | null>(WAITING_BUILD), null, 'nothing waits');
      assert.deepEqual(completed(), [`${request.buildId} completed`, `${later.buildId} completed`]);
      assert.deepEqual(found, [{}], 'the later build begins with no facts');
      const ofEach = [
        [request.buildId, 2],
        [later.buildId, undefined],
      ];
      assert.deepEqual(rounds, ofEach, 'how often a build has waited is kept');
    });
  });
});
