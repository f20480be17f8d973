import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cleanUpAfterBuild } from '../../../activities/deploys/clean-up.ts';
import { attemptEpoch } from '../../../domain/deploys/epoch.ts';
import type { Workload } from '../../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { buildRecord, buildRequest, releaseRecord } from '../../ports/records.ts';
import { MANY, upkeepParts } from './upkeep-parts.ts';

const { signal } = new AbortController();
const build = buildRequest({ service: 'shop' });
const TARGET = { service: 'shop', environment: 'prod' } as const;
const ENDED = { failure: null, supersededBy: null, finishedAt: new Date() } as const;
const COMPLETED = { ...ENDED, status: 'completed', reason: null } as const;
const FAILED = { ...ENDED, status: 'failed', reason: 'step_failed' } as const;

/** A service with a workload that serves. */
async function servedShop() {
  const parts = upkeepParts();
  const ofShop = (buildId: string): Promise<Workload> =>
    parts.startWorkload({ service: 'shop', environment: 'prod', buildId });
  const route = ({ id, address }: Workload) => parts.deps.edge.route('shop', 'prod', { workloadId: id, address }, 1);
  const serving = await ofShop('bld_serving');
  await route(serving);
  const left = async () => (await parts.runtime.listAll()).map(({ buildId }) => buildId).toSorted();
  /** Makes the release that this build installed the active one. */
  const activate = async (buildId: string) => {
    const id = buildId.replace('bld', 'rel');
    await parts.deps.releases.put(releaseRecord({ id, service: 'shop', buildId }));
    const epoch = await parts.deps.epochs.next(TARGET);
    await parts.deps.releases.activate(id, { at: new Date(), epoch, buildId });
  };
  return { ...parts, ofShop, route, left, activate };
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

  it('leaves the workload of the active release while another build has its own one public', async () => {
    const { deps, ofShop, route, left, activate } = await servedShop();
    await activate('bld_serving');
    await deps.builds.create(buildRecord({ id: 'bld_next', service: 'shop' }));
    await route(await ofShop('bld_next'));
    await cleanUpAfterBuild(deps, build, signal);
    assert.deepEqual(await left(), ['bld_next', 'bld_serving']);
  });

  it('leaves what becomes the active release while it looks', async () => {
    const { deps, ofShop, left, activate } = await servedShop();
    await activate('bld_serving');
    await ofShop('bld_next');
    await deps.builds.create(buildRecord({ id: 'bld_next', service: 'shop' }));
    const builds: typeof deps.builds = {
      ...deps.builds,
      // The build ends, and its release is the active one, right before anybody asks for it.
      find: async (id) => {
        if (id === 'bld_next') {
          await activate('bld_next');
          await deps.builds.finish('bld_next', COMPLETED);
        }
        return await deps.builds.find(id);
      },
    };
    await cleanUpAfterBuild({ ...deps, builds }, build, signal);
    assert.ok((await left()).includes('bld_next'));
  });

  it('the release of a failed build, whose workload it removed, cannot become active or public afterwards', async () => {
    const { deps, ofShop, left, activate } = await servedShop();
    await activate('bld_serving');
    await ofShop('bld_failed');
    await deps.releases.put(releaseRecord({ id: 'rel_failed', service: 'shop' }));
    await deps.builds.create(buildRecord({ id: 'bld_failed', service: 'shop' }));
    const epoch = await deps.builds.giveEpoch('bld_failed', await deps.epochs.next(TARGET));
    await deps.builds.finish('bld_failed', FAILED);
    await cleanUpAfterBuild(deps, build, signal);
    assert.deepEqual(await left(), ['bld_serving']);
    const late = deps.releases.activate('rel_failed', { at: new Date(), epoch, buildId: 'bld_failed' });
    await assert.rejects(late, { code: 'CONFLICT' });
    const target = { workloadId: 'of-the-failed-build', address: 'http://127.0.0.1:1' };
    await assert.rejects(deps.edge.route('shop', 'prod', target, attemptEpoch(epoch, 1)), { code: 'CONFLICT' });
    assert.equal((await deps.releases.active('shop', 'prod'))?.installedBy, 'bld_serving');
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

  it('ends the logins that the active release lacks, unless a build of the same environment is open', async () => {
    for (const [environment, expected] of [
      ['uat', []],
      ['prod', null],
    ] as const) {
      const { deps } = await servedShop();
      const { serviceId } = build;
      await deps.builds.create(buildRecord({ id: 'bld_open', service: 'shop', serviceId, environment }));
      const asked: unknown[] = [];
      const endConsumed = async (by: unknown, used: () => Promise<unknown>) => void asked.push(by, await used());
      const databases = { endConsumed };
      await cleanUpAfterBuild({ ...deps, databases }, build, signal);
      assert.deepEqual(asked, [{ serviceId, environment: 'prod' }, expected], `a build of ${environment} is open`);
    }
  });

  it('asks for a repair where the undo of a failed installation was given up, and not where the release answered', async () => {
    for (const [state, expected] of [
      ['failed', ['shop/prod']],
      ['completed', []],
    ] as const) {
      const { deps, ofShop, route, left, workflows, activate } = await servedShop();
      await activate('bld_serving');
      const failed = buildRequest({ buildId: 'bld_failed', service: 'shop' });
      await deps.builds.create(
        buildRecord({ id: 'bld_failed', service: 'shop', steps: stepsUpTo('service-registration', state) }),
      );
      await route(await ofShop('bld_failed'));
      await deps.builds.finish('bld_failed', FAILED);
      await cleanUpAfterBuild(deps, failed, signal);
      assert.deepEqual(workflows.repairs(), expected, `registration ${state}`);
      assert.ok((await left()).includes('bld_serving'));
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
