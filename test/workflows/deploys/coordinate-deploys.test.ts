import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Context } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import { createDeployCommands } from '../../../adapters/temporal/deploy-commands.ts';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import { coordinatorWorkflowId, serviceRemovalWorkflowId } from '../../../domain/deploys/messages.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { deployCommandsSuite } from '../../ports/deploy-commands.ts';
import { buildRequest } from '../../ports/records.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Activities, createFakeActivities, createTemporal } from './harness.ts';

describe('coordinateDeploys', () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  before(async () => {
    temporal = await createTemporal();
  });
  after(() => temporal.stop());

  /** A build that stops at one activity until it is let go, or cancelled. */
  function heldAt(activity: keyof Activities, facts: object = {}) {
    let letGo = () => {};
    const released = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const state = { begun: 0, builds: [] as (string | undefined)[] };
    const work = async (input: { readonly build?: BuildRequest } | undefined) => {
      state.begun += 1;
      state.builds.push(input?.build?.buildId);
      const context = Context.current();
      const timer = setInterval(() => context.heartbeat(), 50);
      try {
        await Promise.race([released, context.cancelled]);
        return { facts };
      } finally {
        clearInterval(timer);
      }
    };
    const fakes = createFakeActivities(temporal.directory, { [activity]: work });
    return { ...fakes, state, letGo: () => letGo() };
  }

  deployCommandsSuite(() => {
    const { activities, finished, state, letGo } = heldAt('fetchSource');
    const begun = async (buildId: string): Promise<void> => {
      await waitUntil(`${buildId} has begun`, () => state.builds.includes(buildId));
    };
    return {
      commands: temporal.commands,
      whileHeld: (body) => temporal.withActivities(activities, body),
      begun,
      async end(buildId) {
        await begun(buildId);
        letGo();
        await waitUntil(`${buildId} has ended`, () => finished.some(({ build }) => build.buildId === buildId));
      },
    };
  });

  it('a removal that takes long is told as such, goes on, and is joined by whoever asks again', async () => {
    const { activities, state, letGo } = heldAt('removeService');
    // Its client skips no time while it waits.
    const client = new Client({ connection: temporal.env.connection });
    const commands = createDeployCommands(client, { removedWithinMs: 500 });
    const service = { id: 'svc_stalled', name: 'stalled' };
    await temporal.withActivities(activities, async () => {
      assert.equal(await commands.removeService(service), 'removing');
      assert.equal(await commands.removeService(service), 'removing');
      assert.equal(state.begun, 1);
      letGo();
      await client.workflow.getHandle(serviceRemovalWorkflowId(service.name)).result();
    });
    assert.equal(state.begun, 1);
  });

  /** The same service and environment asked for again. */
  const again = (first: BuildRequest, changes: Partial<BuildRequest> = {}): BuildRequest =>
    buildRequest({ service: first.service, environment: first.environment, ...changes });

  const ended = (journal: string[], buildId: string, how: string) =>
    waitUntil(`${buildId} ${how}`, () => journal.includes(`${buildId} ${how}`));

  it('makes one build of 20 simultaneous requests for the same branch, and its log says who attached', async () => {
    const { activities, journal, letGo } = heldAt('fetchSource', { commitSha: 'a'.repeat(40) });
    await temporal.withActivities(activities, async () => {
      const first = buildRequest();
      const requests = [first, ...Array.from({ length: 19 }, () => again(first))];
      const outcomes = await Promise.all(requests.map((request) => temporal.commands.request(request)));
      const ids = new Set(outcomes.map(({ buildId }) => buildId));
      assert.equal(ids.size, 1);
      assert.equal(outcomes.filter(({ deduplicated }) => !deduplicated).length, 1);
      assert.equal(journal.filter((entry) => entry.endsWith(' open')).length, 1);
      assert.equal(journal.filter((entry) => entry.includes(' attached ')).length, 19);
      letGo();
      await ended(journal, [...ids][0] ?? '', 'completed');
    });
  });

  it('a request that comes late, of a build that has ended, neither runs it again nor ends what replaced it', async () => {
    const { activities, journal, state, letGo } = heldAt('fetchSource');
    const newer = buildRequest();
    const late = again(newer, {
      source: { kind: 'git', url: 'https://git.example/late.git', branch: null, commit: null },
    });
    const { openBuild } = activities;
    activities.openBuild = async (request) => (request.buildId === late.buildId ? 'ended' : await openBuild(request));
    await temporal.withActivities(activities, async () => {
      await temporal.commands.request(newer);
      await waitUntil('the step to begin', () => state.begun === 1);
      const outcome = await temporal.commands.request(late);
      assert.deepEqual(outcome, { buildId: late.buildId, deduplicated: false, supersededBuildId: null });
      letGo();
      await ended(journal, newer.buildId, 'completed');
    });
    assert.deepEqual(state.builds, [newer.buildId]);
  });

  it('attaches to a build whose commit is still the head of the branch', async () => {
    const { activities, journal, state, letGo } = heldAt('buildImage');
    await temporal.withActivities(activities, async () => {
      const first = buildRequest();
      await temporal.commands.request(first);
      await waitUntil('the step to begin', () => state.begun === 1);
      const outcome = await temporal.commands.request(again(first));
      assert.deepEqual(outcome, { buildId: first.buildId, deduplicated: true, supersededBuildId: null });
      letGo();
      await ended(journal, first.buildId, 'completed');
    });
  });

  it('supersedes a build whose branch has moved, and builds the newer commit', async () => {
    const { activities, journal, state, letGo } = heldAt('buildImage');
    activities.resolveHead = async () => ({ commit: 'b'.repeat(40), branch: 'main' });
    await temporal.withActivities(activities, async () => {
      const first = buildRequest();
      await temporal.commands.request(first);
      await waitUntil('the step to begin', () => state.begun === 1);
      const second = again(first);
      const outcome = await temporal.commands.request(second);
      assert.deepEqual(outcome, { buildId: second.buildId, deduplicated: false, supersededBuildId: first.buildId });
      await ended(journal, first.buildId, 'failed superseded');
      letGo();
      await ended(journal, second.buildId, 'completed');
    });
  });

  it('a build that installs is not superseded; the newer one runs after it', async () => {
    const { activities, journal, state, letGo } = heldAt('installWorkload', { releaseId: 'rel_1' });
    activities.resolveHead = async () => ({ commit: 'b'.repeat(40), branch: 'main' });
    await temporal.withActivities(activities, async () => {
      const first = buildRequest();
      await temporal.commands.request(first);
      await waitUntil('the step to begin', () => state.begun === 1);
      const second = again(first);
      await temporal.commands.request(second);
      letGo();
      await ended(journal, second.buildId, 'completed');
      const order = journal.filter(
        (entry) => entry.endsWith(' completed') || entry === `${second.buildId} fetchSource`,
      );
      assert.deepEqual(order, [
        `${first.buildId} completed`,
        `${second.buildId} fetchSource`,
        `${second.buildId} completed`,
      ]);
    });
  });

  it('of three requests for different commits only the newest waits; the one between is superseded before it starts', async () => {
    const { activities, journal, state, letGo } = heldAt('installWorkload', { releaseId: 'rel_1' });
    await temporal.withActivities(activities, async () => {
      const pinned = (commit: string) =>
        ({ kind: 'git', url: 'https://git.example/hello.git', branch: null, commit }) as const;
      const first = buildRequest({ source: pinned('1'.repeat(40)) });
      const second = again(first, { source: pinned('2'.repeat(40)) });
      const third = again(first, { source: pinned('3'.repeat(40)) });
      await temporal.commands.request(first);
      await waitUntil('the step to begin', () => state.begun === 1);
      await temporal.commands.request(second);
      const outcome = await temporal.commands.request(third);
      assert.equal(outcome.supersededBuildId, second.buildId);
      assert.ok(journal.includes(`${second.buildId} failed superseded`));
      letGo();
      await ended(journal, third.buildId, 'completed');
      assert.ok(!journal.includes(`${second.buildId} fetchSource`));
    });
  });

  it('cancels a running build and answers when it has ended', async () => {
    const { activities, journal, state } = heldAt('buildImage');
    await temporal.withActivities(activities, async () => {
      const first = buildRequest();
      await temporal.commands.request(first);
      await waitUntil('the step to begin', () => state.begun === 1);
      assert.equal(await temporal.commands.cancel(first), 'cancelled');
      assert.ok(journal.includes(`${first.buildId} failed cancelled`));
    });
  });

  it('cancels a build that waits, and says when there is nothing to cancel', async () => {
    const { activities, journal, state, letGo } = heldAt('installWorkload', { releaseId: 'rel_1' });
    await temporal.withActivities(activities, async () => {
      const first = buildRequest();
      const second = again(first, { kind: 'rollback', releaseId: 'rel_0' });
      await temporal.commands.request(first);
      await waitUntil('the step to begin', () => state.begun === 1);
      await temporal.commands.request(second);
      assert.equal(await temporal.commands.cancel(second), 'cancelled');
      assert.ok(journal.includes(`${second.buildId} failed cancelled`));
      assert.equal(await temporal.commands.cancel(second), 'finished');
      letGo();
      await ended(journal, first.buildId, 'completed');
    });
  });

  it('an unreachable repository refuses the request and leaves the build in flight alone', async () => {
    const { activities, journal, state, letGo } = heldAt('buildImage');
    activities.resolveHead = async () => {
      throw new FairleadError('SOURCE_UNREACHABLE', 'git.example does not answer');
    };
    await temporal.withActivities(activities, async () => {
      const first = buildRequest();
      await temporal.commands.request(first);
      await waitUntil('the step to begin', () => state.begun === 1);
      await assert.rejects(temporal.commands.request(again(first)), {
        code: 'SOURCE_UNREACHABLE',
        message: 'git.example does not answer',
      });
      letGo();
      await ended(journal, first.buildId, 'completed');
    });
  });

  it('a repair waits for the build at work, and is left out when another build waits', async () => {
    const { activities, journal, state, letGo } = heldAt('installWorkload', { releaseId: 'rel_1' });
    activities.resolveHead = async () => ({ commit: 'b'.repeat(40), branch: 'main' });
    await temporal.withActivities(activities, async () => {
      const first = buildRequest();
      await temporal.commands.request(first);
      await waitUntil('the step to begin', () => state.begun === 1);
      for (let times = 0; times < 3; times += 1) await temporal.directory.requestRepair(first);
      letGo();
      await ended(journal, first.buildId, 'completed');
      await waitUntil('the repair', () => journal.includes(`${first.service} repair`));
      assert.ok(journal.indexOf(`${first.service} repair`) > journal.indexOf(`${first.buildId} completed`));
      await temporal.client.workflow.getHandle(coordinatorWorkflowId(first.service, 'prod')).result();
      assert.equal(journal.filter((entry) => entry === `${first.service} repair`).length, 1);
    });
  });

  it('a build does not wait for a repair that hangs, and takes a newer epoch', async () => {
    const { activities, journal } = createFakeActivities(temporal.directory);
    const epochs: number[] = [];
    activities.repairTarget = async ({ epoch }) => {
      epochs.push(epoch);
      const context = Context.current();
      const timer = setInterval(() => context.heartbeat(), 50);
      try {
        return await context.cancelled;
      } finally {
        clearInterval(timer);
      }
    };
    await temporal.withActivities(activities, async () => {
      const first = buildRequest();
      await temporal.directory.requestRepair(first);
      await waitUntil('the repair to begin', () => epochs.length === 1);
      await temporal.commands.request(first);
      await ended(journal, first.buildId, 'completed');
      await temporal.directory.removeTarget({ ...first, environment: 'prod', serviceId: 'svc_1' });
      assert.ok(journal.includes(`${first.service} remove`));
    });
  });

  it('a failed repair stops neither the next build nor the next repair', async () => {
    const { activities, journal } = createFakeActivities(temporal.directory);
    let repairs = 0;
    activities.repairTarget = async () => {
      repairs += 1;
      throw new FairleadError('INSTALL_FAILED', 'its image is gone');
    };
    await temporal.withActivities(activities, async () => {
      const first = buildRequest();
      // In the history, not in the activity: this server refuses a task that cancels an activity which has just failed.
      const coordinator = temporal.client.workflow.getHandle(coordinatorWorkflowId(first.service, first.environment));
      const hasFailed = async () => {
        const { events } = await coordinator.fetchHistory();
        return (events ?? []).some((event) => event.activityTaskFailedEventAttributes);
      };
      await temporal.directory.requestRepair(first);
      await waitUntil('the repair to fail', hasFailed);
      await temporal.commands.request(first);
      await ended(journal, first.buildId, 'completed');
      await temporal.directory.requestRepair(first);
      await waitUntil('the next repair', () => repairs === 2);
    });
  });

  it('the removal of a service waits for the build at work, and ends when all is gone', async () => {
    const { activities, journal, state, letGo } = heldAt('installWorkload', { releaseId: 'rel_1' });
    await temporal.withActivities(activities, async () => {
      const first = buildRequest();
      await temporal.commands.request(first);
      await waitUntil('the step to begin', () => state.begun === 1);
      const { service, environment, serviceId } = first;
      const removals = [1, 2].map(() => temporal.directory.removeTarget({ service, environment, serviceId }));
      letGo();
      await Promise.all(removals);
      const order = journal.filter((entry) => entry.endsWith(' completed') || entry.endsWith(' remove'));
      assert.deepEqual(order, [`${first.buildId} completed`, `${service} remove`]);
    });
  });

  it('ends when it has been idle, and starts again with the next request', async () => {
    const { activities, journal } = createFakeActivities(temporal.directory);
    await temporal.withActivities(activities, async () => {
      const first = buildRequest();
      await temporal.commands.request(first);
      const handle = temporal.client.workflow.getHandle(coordinatorWorkflowId(first.service, first.environment));
      await handle.result();
      const second = again(first);
      assert.equal((await temporal.commands.request(second)).deduplicated, false);
      await ended(journal, second.buildId, 'completed');
    });
  });
});
