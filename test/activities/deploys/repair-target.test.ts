import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeploysDeps } from '../../../activities/deploys/deps.ts';
import { repairTarget } from '../../../activities/deploys/repair-target.ts';
import type { Workload } from '../../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { buildRecord, releaseRecord } from '../../ports/records.ts';
import { NOW, upkeepParts } from './upkeep-parts.ts';

const { signal } = new AbortController();
const TARGET = { service: 'shop', environment: 'prod' } as const;

/** A service whose release `rel_1` was made by `bld_1`, and is active since `bld_2` rolled back to it. */
async function rolledBackShop() {
  const parts = upkeepParts();
  const { releases, epochs, edge, services, builds } = parts.deps;
  await services.upsert({ id: 'svc_hello', name: 'shop', org: 'acme' }, {});
  await releases.put(releaseRecord({ id: 'rel_1', buildId: 'bld_1', service: 'shop', secrets: {} }));
  await releases.activate('rel_1', { at: NOW, epoch: await epochs.next(TARGET), buildId: 'bld_2' });
  const end = { status: 'completed', reason: null, failure: null, supersededBy: null, finishedAt: NOW } as const;
  for (const id of ['bld_1', 'bld_2']) {
    await builds.create(buildRecord({ id, service: 'shop' }));
    await builds.finish(id, end);
  }
  const start = (buildId: string) => parts.startWorkload({ ...TARGET, buildId, releaseId: 'rel_1' });
  const route = async ({ id, address }: Workload) =>
    edge.route('shop', 'prod', { workloadId: id, address }, await epochs.next(TARGET));
  const repair = async (deps: DeploysDeps = parts.deps) =>
    repairTarget(deps, { ...TARGET, epoch: await epochs.next(TARGET) }, signal);
  const running = async () => (await parts.runtime.list('shop', 'prod')).filter((workload) => workload.running);
  const routed = async () => (await edge.current('shop', 'prod'))?.workloadId ?? null;
  const routedService = async () => (await edge.current('shop', 'prod'))?.serviceId;
  return { ...parts, start, route, repair, running, routed, routedService };
}

describe('repairing a service', () => {
  it('starts what is gone again, for the build that installed it last, within its limits, and routes to it', async () => {
    const { runtime, deps, repair, running, routed, routedService } = await rolledBackShop();
    assert.equal(await repair(), 'rel_1');
    assert.equal(await routedService(), (await deps.releases.find('rel_1'))?.serviceId);
    const [workload, ...others] = await running();
    assert.ok(workload !== undefined && others.length === 0);
    assert.deepEqual([workload.buildId, await routed()], ['bld_2', workload.id]);
    assert.ok(runtime.cpuMillis(workload) < 8_000);
    assert.equal(await repair(), null, 'what serves is left as it is');
  });

  it('resumes the workload that stopped, and takes no other one of the same release', async () => {
    const { runtime, start, repair, running, routed } = await rolledBackShop();
    const serving = await start('bld_2');
    await start('bld_1');
    runtime.stop(serving);
    assert.equal(await repair(), 'rel_1');
    assert.equal(await routed(), serving.id);
    assert.deepEqual(
      (await running()).map(({ buildId }) => buildId),
      ['bld_2'],
      'the clean-up may remove the other',
    );
  });

  it('takes a failed installation out of service whose undo was given up', async () => {
    const { deps, start, route, repair, running, routed } = await rolledBackShop();
    const serving = await start('bld_2');
    await deps.builds.create(buildRecord({ id: 'bld_failed', service: 'shop' }));
    await route(await start('bld_failed'));
    const end = {
      status: 'failed',
      reason: 'step_failed',
      failure: null,
      supersededBy: null,
      finishedAt: NOW,
    } as const;
    await deps.builds.finish('bld_failed', end);
    assert.equal(await repair(), null);
    assert.equal(await routed(), serving.id);
    assert.deepEqual(
      (await running()).map(({ buildId }) => buildId),
      ['bld_2'],
    );
  });

  it('routes to no other release than the active one, even when that one cannot be started', async () => {
    const { deps, runtime, start, route, repair, routed } = await rolledBackShop();
    await route(await start('bld_failed'));
    const away = new FairleadError('INSTALL_FAILED', 'its image is gone');
    const broken = { ...deps, runtime: { ...runtime, start: () => Promise.reject(away) } };
    await assert.rejects(repair(broken), /its image is gone/);
    assert.equal(await routed(), null);
  });

  it('takes the route away where there is no active release, and leaves a service that is being removed', async () => {
    const { deps, start, route, repair, running, routed } = await rolledBackShop();
    await deps.services.setRemoving('svc_hello', true);
    assert.equal(await repair(), null);
    assert.deepEqual(await running(), []);
    const gone = { ...deps, services: { ...deps.services, findConfirmed: async () => null } };
    assert.equal(await repair(gone), null);
    assert.deepEqual(await running(), []);
    await deps.releases.removeService({ id: 'svc_hello', name: 'shop' });
    await route(await start('bld_2'));
    assert.equal(await repair(), null);
    assert.equal(await routed(), null);
    assert.deepEqual(await running(), []);
  });

  it('a repair that was paused while something newer acted changes nothing', async () => {
    const { deps, start, route, repair, routed } = await rolledBackShop();
    const newer = await start('bld_newer');
    const paused: DeploysDeps = {
      ...deps,
      edge: {
        ...deps.edge,
        route: async (...args) => {
          await route(newer);
          await deps.edge.route(...args);
        },
      },
    };
    await assert.rejects(repair(paused), { code: 'CONFLICT' });
    assert.equal(await routed(), newer.id);
  });
});
