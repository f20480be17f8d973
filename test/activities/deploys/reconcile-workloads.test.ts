import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeploysDeps } from '../../../activities/deploys/deps.ts';
import { reconcileWorkloads } from '../../../activities/deploys/reconcile-workloads.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { buildRecord, releaseRecord } from '../../ports/records.ts';
import { MANY, NOW, upkeepParts } from './upkeep-parts.ts';

const { signal } = new AbortController();
const services = Array.from({ length: MANY }, (_, index) => `shop-${String(index).padStart(3, '0')}`);

type Runtime = DeploysDeps['runtime'];

/** Services with an active release each, of which nothing runs. */
async function stopped(names: readonly string[]) {
  const parts = upkeepParts();
  const { releases, edge } = parts.deps;
  for (const service of names) {
    await releases.put(releaseRecord({ id: `rel_${service}`, buildId: `bld_${service}`, service, secrets: {} }));
    await releases.activate(`rel_${service}`, NOW);
  }
  /** True when the public route leads to the workload of the active release, and that one runs. */
  const serves = async (service: string): Promise<boolean> => {
    const routed = await edge.current(service, 'prod');
    const workload = (await parts.runtime.list(service, 'prod')).find(({ id }) => id === routed?.workloadId);
    return workload?.running === true && workload.releaseId === `rel_${service}`;
  };
  return { ...parts, serves };
}

function failing(runtime: Runtime, failures: Partial<Runtime>): Runtime {
  return { ...runtime, ...failures };
}

describe('reconciling workloads', () => {
  it('starts and routes every service that does not run, however many there are, within the limits of its tier', async () => {
    const { deps, runtime, serves } = await stopped(services);
    assert.equal((await reconcileWorkloads(deps, signal)).length, MANY);
    for (const service of services) assert.ok(await serves(service), service);
    for (const workload of await runtime.listAll()) assert.ok(runtime.cpuMillis(workload) < 8_000);
    assert.deepEqual(await reconcileWorkloads(deps, signal), [], 'what serves is left as it is');
  });

  it('resumes a workload that has stopped, and points the route at one that moved', async () => {
    const { deps, runtime, startWorkload, serves } = await stopped(['asleep', 'moved']);
    const asleep = await startWorkload({ service: 'asleep', environment: 'prod', releaseId: 'rel_asleep' });
    const moved = await startWorkload({ service: 'moved', environment: 'prod', releaseId: 'rel_moved' });
    runtime.stop(asleep);
    await deps.edge.route('moved', 'prod', { workloadId: moved.id, address: 'http://127.0.0.1:1' });
    assert.deepEqual(await reconcileWorkloads(deps, signal), ['rel_asleep']);
    assert.ok((await serves('asleep')) && (await serves('moved')));
    assert.deepEqual(await deps.edge.current('moved', 'prod'), { workloadId: moved.id, address: moved.address });
    assert.equal((await runtime.listAll()).length, 2);
  });

  it('a service that cannot be started, or held to its limits, hinders no other, and is named at the end', async () => {
    const { deps, runtime, startWorkload, serves } = await stopped(services);
    const [even, odd] = [await startWorkload({ service: 'even' }), await startWorkload({ service: 'odd' })];
    const broken = failing(runtime, {
      start: async (spec, context) => {
        if (spec.service === 'shop-003') throw new FairleadError('UNAVAILABLE', 'its image is gone');
        return await runtime.start(spec, context);
      },
      applyCpuLimit: async (workload) => {
        if (workload.id === odd.id) throw new FairleadError('UNAVAILABLE', 'the engine refuses');
        await runtime.applyCpuLimit(workload);
      },
    });
    const message =
      /^Services could not be restarted: shop-003\/prod: its image is gone; limits of odd\/\w+: the engine refuses$/;
    const expected = { code: 'UNAVAILABLE', retryable: false, message };
    await assert.rejects(reconcileWorkloads({ ...deps, runtime: broken }, signal), expected);
    for (const service of services) assert.equal(await serves(service), service !== 'shop-003', service);
    assert.ok(runtime.cpuMillis(even) < runtime.cpuMillis(odd));
  });

  it('a service that hangs keeps its lane no longer than the limit', async () => {
    const { deps, runtime, serves } = await stopped(['hung', 'shop']);
    const hanging = failing(runtime, {
      start: async (spec, context) => {
        if (spec.service === 'shop') return await runtime.start(spec, context);
        return await new Promise((_, reject) => {
          context.signal.addEventListener('abort', () => reject(context.signal.reason), { once: true });
        });
      },
    });
    const work = reconcileWorkloads({ ...deps, runtime: hanging }, signal, { recoveryLimitMs: 30 });
    await assert.rejects(work, { message: /hung\/prod: not started within 0.03 seconds$/ });
    assert.ok(await serves('shop'));
  });

  it('holds every workload to its limits but those that open builds start, however many builds are open', async () => {
    const { deps, runtime, startWorkload } = upkeepParts();
    for (const service of services) {
      await deps.builds.create(buildRecord({ id: `bld_${service}`, service }));
      await startWorkload({ service, buildId: `bld_${service}` });
    }
    const left = await startWorkload({ buildId: 'bld_gone' });
    await reconcileWorkloads(deps, signal);
    const limited = (await runtime.listAll()).filter((workload) => runtime.cpuMillis(workload) < 8_000);
    assert.deepEqual(
      limited.map(({ id }) => id),
      [left.id],
    );
  });

  it('leaves a service alone while a build is open', async () => {
    const { deps, runtime } = await stopped(['shop']);
    await deps.builds.create(buildRecord({ id: 'bld_open', service: 'shop' }));
    assert.deepEqual(await reconcileWorkloads(deps, signal), []);
    assert.deepEqual(await runtime.listAll(), []);
  });

  it('gives way to a deploy, and to a removal, that came while it started a workload', async () => {
    const { deps, runtime } = await stopped(['deployed', 'removed']);
    const overtaken = failing(runtime, {
      start: async (spec, context) => {
        const workload = await runtime.start(spec, context);
        if (spec.service === 'removed') await deps.releases.removeService('removed');
        else await deps.builds.create(buildRecord({ id: 'bld_new', service: spec.service }));
        return workload;
      },
    });
    assert.deepEqual(await reconcileWorkloads({ ...deps, runtime: overtaken }, signal), []);
    assert.deepEqual(await runtime.listAll(), []);
    for (const service of ['deployed', 'removed']) assert.equal(await deps.edge.current(service, 'prod'), null);
  });

  it('ends when it is told to', async () => {
    const told = new AbortController();
    const { deps, runtime } = await stopped(services);
    const telling = failing(runtime, {
      start: async (spec, context) => {
        told.abort(new Error('told to end'));
        return await runtime.start(spec, context);
      },
    });
    await assert.rejects(reconcileWorkloads({ ...deps, runtime: telling }, told.signal), /told to end/);
    assert.ok((await runtime.listAll()).length < MANY);
  });
});
