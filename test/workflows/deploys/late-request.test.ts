import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDeploysActivities } from '../../../activities/deploys/index.ts';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import { coordinatorWorkflowId } from '../../../domain/deploys/messages.ts';
import { buildRequest } from '../../ports/records.ts';
import { ended } from '../../replay/ended.ts';
import { createInMemoryDeploys, type InMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { endingSlowly } from './ending-slowly.ts';
import { createFakeActivities, createTemporal } from './harness.ts';

/**
 * One request in two attempts, such as of a client that lost the answer: the network kept the first, the second was
 * answered, and then the first arrives, when the coordinator that answered has ended. Records are real, on parts in memory.
 */
describe('an attempt of a request that arrives after another one was answered', { timeout: 120_000 }, () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  let parts: InMemoryDeploys;
  before(async () => {
    temporal = await createTemporal();
    parts = createInMemoryDeploys();
  });
  after(() => temporal.stop());

  const coordinatorOf = ({ service, environment }: BuildRequest) => coordinatorWorkflowId(service, environment);
  const source = (digit: string) =>
    ({ kind: 'git', url: 'https://git.example/hello.git', branch: 'main', commit: digit.repeat(40) }) as const;

  async function useService() {
    const held = endingSlowly('buildImage');
    const workflows = { ...parts.workflows, releaseSlot: temporal.directory.releaseSlot };
    const { openBuild, noteAttached, finishBuild } = createDeploysActivities({ ...parts, workflows });
    const { activities, journal } = createFakeActivities(temporal.directory, { openBuild, noteAttached, finishBuild });
    temporal.setActivities(activities);
    const { buildId } = buildRequest();
    const service = { id: `svc_${buildId}`, name: buildId.replace('_', '-'), org: 'acme' };
    await parts.services.upsert(service, {});
    return {
      held,
      journal,
      request: (digit: string): BuildRequest =>
        buildRequest({ serviceId: service.id, service: service.name, source: source(digit) }),
      /** Builds of the service: id, and how each ended. */
      async builds() {
        const { items } = await parts.builds.list({ serviceId: service.id }, { cursor: null, limit: 10 });
        return items.map(({ id, status, reason }) => [id, status, reason]);
      },
      /** The next build stops while it makes its image. */
      hold() {
        Object.assign(activities, held.overrides);
      },
    };
  }

  it('was attached: it is answered as before, makes no build and ends none', async () => {
    const { request, builds, held, hold } = await useService();
    const [first, joined, newer] = [request('1'), request('1'), request('2')];
    await temporal.commands.request(first);
    const answer = await temporal.commands.request(joined);
    assert.deepEqual(answer, { buildId: first.buildId, deduplicated: true, supersededBuildId: null });
    await ended(temporal, coordinatorOf(first));

    assert.deepEqual(await temporal.commands.request(joined), answer);
    await ended(temporal, coordinatorOf(first));
    hold();
    await temporal.commands.request(newer);
    await waitUntil('the newer build is at work', held.begun);
    assert.deepEqual(await temporal.commands.request(joined), answer);
    assert.equal(held.isCalledOff(), false);
    const cancelled = temporal.commands.cancel(newer);
    held.release();
    await cancelled;
    assert.deepEqual(await builds(), [
      [newer.buildId, 'failed', 'cancelled'],
      [first.buildId, 'completed', null],
    ]);
  });

  it('made a build that goes on: it is answered as before, also by a coordinator that continued as new', async () => {
    const { request, builds, held, hold, journal } = await useService();
    hold();
    const build = request('2');
    const rollback = { ...request('1'), kind: 'rollback', releaseId: 'rel_0' } as const;
    for (const one of [build, rollback]) {
      await temporal.commands.request(one);
      // Under another id, as where the server does not know the first any more.
      const outcome = await sendAnew(one);
      assert.deepEqual(outcome, { buildId: one.buildId, deduplicated: false, supersededBuildId: null });
      await waitUntil('the build is at work', held.begun);
    }
    held.release();
    await ended(temporal, coordinatorOf(build));
    assert.deepEqual(await builds(), [
      [rollback.buildId, 'completed', null],
      [build.buildId, 'failed', 'superseded'],
    ]);
    assert.ok(!journal.some((entry) => entry.includes(' attached ')));
  });

  async function sendAnew(request: BuildRequest) {
    const handle = temporal.client.workflow.getHandle(coordinatorOf(request));
    return await handle.executeUpdate('requestDeploy', { args: [request], updateId: `${request.buildId}-again` });
  }
});
