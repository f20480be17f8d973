import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cleanUpAfterBuild } from '../../../activities/deploys/clean-up.ts';
import type { Workload } from '../../../domain/deploys/ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { buildRecord, buildRequest } from '../../ports/records.ts';
import { MANY, upkeepParts } from './upkeep-parts.ts';

const { signal } = new AbortController();
const build = buildRequest({ service: 'shop' });

/** A service with a workload that serves. */
async function servedShop() {
  const parts = upkeepParts();
  const ofShop = (buildId: string): Promise<Workload> =>
    parts.startWorkload({ service: 'shop', environment: 'prod', buildId });
  const route = ({ id, address }: Workload) => parts.deps.edge.route('shop', 'prod', { workloadId: id, address });
  const serving = await ofShop('bld_serving');
  await route(serving);
  const left = async () => (await parts.runtime.listAll()).map(({ buildId }) => buildId).toSorted();
  return { ...parts, ofShop, route, left };
}

describe('cleaning up after a build', () => {
  it('removes its source, and the workloads of its service and environment that no longer serve', async () => {
    const { deps, ofShop, startWorkload, left } = await servedShop();
    await deps.workspace.write(build.buildId, 'app.js', '');
    for (const id of ['bld_old', 'bld_older']) await ofShop(id);
    await startWorkload({ service: 'shop', environment: 'uat', buildId: 'bld_uat' });
    await startWorkload({ service: 'another', environment: 'prod', buildId: 'bld_another' });
    await cleanUpAfterBuild(deps, build, signal);
    assert.deepEqual(await left(), ['bld_another', 'bld_serving', 'bld_uat']);
    assert.deepEqual(await deps.workspace.builds(), []);
    await cleanUpAfterBuild(deps, build, signal);
  });

  it('leaves the images to the daily pruning', async () => {
    const { deps, build: buildImage, imageNames } = await servedShop();
    await buildImage('bld_old');
    await cleanUpAfterBuild(deps, build, signal);
    assert.deepEqual(await imageNames(), ['shop:bld_old']);
  });

  it('leaves what an open build starts, however many builds of the service are open', async () => {
    const { deps, ofShop, left } = await servedShop();
    for (let number = 0; number < MANY; number += 1) {
      await deps.builds.create(buildRecord({ id: `bld_${number}`, service: 'shop' }));
      await ofShop(`bld_${number}`);
    }
    await cleanUpAfterBuild(deps, build, signal);
    assert.equal((await left()).length, MANY + 1);
  });

  it('leaves what was put in service while it looked', async () => {
    const { deps, ofShop, route, left } = await servedShop();
    const next = await ofShop('bld_next');
    const builds: typeof deps.builds = {
      ...deps.builds,
      // The build ends, and its workload serves, right before anybody asks for it.
      stateOf: async () => {
        await route(next);
        return 'ended';
      },
    };
    await cleanUpAfterBuild({ ...deps, builds }, build, signal);
    assert.deepEqual(await left(), ['bld_next']);
  });

  it('a workload that cannot be removed hinders no other, and is named for the next attempt', async () => {
    const { deps, ofShop, left } = await servedShop();
    await ofShop('bld_old');
    const stuck = await ofShop('bld_stuck');
    await ofShop('bld_older');
    const runtime: typeof deps.runtime = {
      ...deps.runtime,
      remove: async (workload, grace) => {
        if (workload.id === stuck.id) throw new FairleadError('UNAVAILABLE', 'the engine is busy');
        await deps.runtime.remove(workload, grace);
      },
    };
    const message = new RegExp(`workload ${stuck.id}: the engine is busy`);
    const expected = { code: 'UNAVAILABLE', retryable: true, message };
    await assert.rejects(cleanUpAfterBuild({ ...deps, runtime }, build, signal), expected);
    assert.deepEqual(await left(), ['bld_serving', 'bld_stuck']);
  });

  it('takes a failed installation out of service whose undo was given up, and leaves one that answered', async () => {
    for (const [state, expected] of [
      ['failed', null],
      ['completed', 'bld_failed'],
    ] as const) {
      const { deps, ofShop, route } = await servedShop();
      const failed = buildRequest({ buildId: 'bld_failed', service: 'shop' });
      await deps.builds.create(
        buildRecord({ id: 'bld_failed', service: 'shop', steps: stepsUpTo('health-check', state) }),
      );
      await route(await ofShop('bld_failed'));
      const end = { status: 'failed', reason: 'step_failed', failure: null, supersededBy: null } as const;
      await deps.builds.finish('bld_failed', { ...end, finishedAt: new Date() });
      await cleanUpAfterBuild(deps, failed, signal);
      const routed = (await deps.edge.current('shop', 'prod'))?.workloadId;
      const workload = (await deps.runtime.list('shop', 'prod')).find(({ id }) => id === routed);
      assert.equal(workload?.buildId ?? null, expected, `health check ${state}`);
      assert.deepEqual(await deps.log.read('bld_failed', 0, 10), [], 'the log of an ended build stays as it ended');
    }
  });
});

/** The plan of a deploy whose installation ran and whose health check ended so. */
function stepsUpTo(last: string, state: 'failed' | 'completed') {
  const startedAt = new Date();
  return buildRecord({ id: 'any' }).steps.map((step) => {
    if (step.key === last) return { ...step, state, startedAt };
    return step.key === 'install' ? { ...step, state: 'completed' as const, startedAt } : step;
  });
}
