import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeploysDeps } from '../../../activities/deploys/deps.ts';
import { reconcileWorkloads } from '../../../activities/deploys/reconcile-workloads.ts';
import { repairTarget } from '../../../activities/deploys/repair-target.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { buildRecord, releaseRecord } from '../../ports/records.ts';
import { MANY, NOW, upkeepParts } from './upkeep-parts.ts';

const { signal } = new AbortController();
const services = Array.from({ length: MANY }, (_, index) => `shop-${String(index).padStart(3, '0')}`);

/** Services with an active release each, of which nothing runs, and whose coordinators repair what they are asked for. */
async function stopped(names: readonly string[]) {
  const parts = upkeepParts();
  const { releases, edge, epochs, services } = parts.deps;
  for (const service of names) {
    const [id, buildId, serviceId] = [`rel_${service}`, `bld_${service}`, `svc_${service}`];
    await services.upsert({ id: serviceId, name: service, org: 'acme' }, {});
    await releases.put(releaseRecord({ id, buildId, serviceId, service, secrets: {} }));
    const epoch = await epochs.next({ service, environment: 'prod' });
    await releases.activate(id, { at: NOW, epoch, buildId });
  }
  const repairedBy = (deps: DeploysDeps) =>
    parts.workflows.whenRepairing(async (target) =>
      repairTarget(deps, { ...target, epoch: await epochs.next(target) }, signal),
    );
  repairedBy(parts.deps);
  /** True when the public route leads to the workload of the active release, and that one runs. */
  const serves = async (service: string): Promise<boolean> => {
    const routed = await edge.current(service, 'prod');
    const workload = (await parts.runtime.list(service, 'prod')).find(({ id }) => id === routed?.workloadId);
    return workload?.running === true && workload.releaseId === `rel_${service}`;
  };
  return { ...parts, serves, repairedBy };
}

describe('reconciling workloads', () => {
  it('asks for the repair of every service that does not serve, however many there are, and of none that does', async () => {
    const { deps, runtime, serves } = await stopped(services);
    assert.deepEqual((await reconcileWorkloads(deps, signal)).length, MANY);
    for (const service of services) assert.ok(await serves(service), service);
    for (const workload of await runtime.listAll()) assert.ok(runtime.cpuMillis(workload) < 8_000);
    assert.deepEqual(await reconcileWorkloads(deps, signal), [], 'what serves is left as it is');
  });

  it('after a restart of the machine 190 of 200 services serve when 10 cannot be started', async () => {
    const all = services.slice(0, 200);
    const { deps, runtime, serves, repairedBy } = await stopped(all);
    await reconcileWorkloads(deps, signal);
    for (const workload of await runtime.listAll()) runtime.stop(workload);
    // The first ones of the list: what is asked for first must not hold the others up.
    const broken = new Set(all.slice(0, 10));
    const never = new Promise<never>(() => undefined);
    repairedBy({
      ...deps,
      runtime: {
        ...runtime,
        resume: async (workload, until) =>
          broken.has(workload.service) ? await never : await runtime.resume(workload, until),
      },
    });
    assert.equal((await reconcileWorkloads(deps, signal)).length, 200);
    for (const service of all) assert.equal(await serves(service), !broken.has(service), service);
  });

  it('a service that cannot be compared, or held to its limits, hinders no other, and is named at the end', async () => {
    const { deps, runtime, startWorkload, serves } = await stopped(services);
    const [even, odd] = [await startWorkload({ service: 'even' }), await startWorkload({ service: 'odd' })];
    const broken: DeploysDeps = {
      ...deps,
      releases: {
        ...deps.releases,
        active: async (service, environment) => {
          if (service === 'shop-003') throw new FairleadError('UNAVAILABLE', 'its record cannot be read');
          return await deps.releases.active(service, environment);
        },
      },
      runtime: {
        ...runtime,
        applyCpuLimit: async (workload) => {
          if (workload.id === odd.id) throw new FairleadError('UNAVAILABLE', 'the engine refuses');
          await runtime.applyCpuLimit(workload);
        },
      },
    };
    const message =
      /^Services could not be compared: shop-003\/prod: its record cannot be read; limits of odd\/\w+: the engine refuses$/;
    await assert.rejects(reconcileWorkloads(broken, signal), { code: 'UNAVAILABLE', retryable: false, message });
    for (const service of services) assert.equal(await serves(service), service !== 'shop-003', service);
    assert.ok(runtime.cpuMillis(even) < runtime.cpuMillis(odd));
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

  it('removes what a clean-up left behind, also of a service that is gone, once its build has ended for a while', async () => {
    const { deps, runtime, startWorkload, advance } = upkeepParts();
    for (const id of ['bld_orphan', 'bld_open', 'bld_unknown']) {
      await startWorkload({ service: 'gone', environment: 'prod', buildId: id });
      if (id !== 'bld_unknown') await deps.builds.create(buildRecord({ id, service: 'gone' }));
    }
    const end = { status: 'failed', reason: 'step_failed', failure: null, supersededBy: null } as const;
    await deps.builds.finish('bld_orphan', { ...end, finishedAt: deps.now() });
    const left = async () => (await runtime.listAll()).map(({ buildId }) => buildId).toSorted();
    await reconcileWorkloads(deps, signal);
    assert.deepEqual(await left(), ['bld_open', 'bld_orphan', 'bld_unknown'], 'its clean-up may be at work');
    advance(180_000);
    await reconcileWorkloads(deps, signal);
    assert.deepEqual(await left(), ['bld_open', 'bld_unknown']);
  });

  it('ends when it is told to', async () => {
    const told = new AbortController();
    const { deps, workflows } = await stopped(services);
    workflows.whenRepairing(async () => told.abort(new Error('told to end')));
    await assert.rejects(reconcileWorkloads(deps, told.signal), /told to end/);
    assert.ok(workflows.repairs().length < MANY);
  });
});
