import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { measureWorkload } from '../../../activities/deploys/measure-workload.ts';
import { reconcileWorkloads } from '../../../activities/deploys/reconcile-workloads.ts';
import type { WorkloadUsage } from '../../../domain/deploys/workload-state.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { releaseRecord } from '../../ports/records.ts';
import { upkeepParts } from './upkeep-parts.ts';

const { signal } = new AbortController();

async function running() {
  const parts = upkeepParts();
  await parts.deps.releases.put(releaseRecord({ id: 'rel_shop', healthEndpoint: '/health', healthRule: 'declared' }));
  const workload = await parts.startWorkload({ service: 'shop', releaseId: 'rel_shop', buildId: 'bld_shop' });
  const state = () => parts.deps.workloadStates.find('bld_shop');
  return { ...parts, workload, state };
}

describe('measuring a workload', () => {
  it('notes how it is, with its health, and its CPU from the second time on', async () => {
    const { deps, runtime, workload, state, advance } = await running();
    const first = await runtime.measure(workload);
    let usage = first?.usage as WorkloadUsage;
    const measure = async () => ({ ...(first ?? assert.fail()), usage });
    const measured = { ...deps, runtime: { ...runtime, measure } };
    await measureWorkload(measured, workload, signal);
    assert.deepEqual((await state())?.health, { ok: true, status: 200, path: '/health' });
    assert.deepEqual([(await state())?.cpuMillis, (await state())?.status], [null, 'running']);
    usage = { ...usage, cpuUsedMs: usage.cpuUsedMs + 3_000 };
    advance(60_000);
    await measureWorkload(measured, workload, signal);
    assert.equal((await state())?.cpuMillis, 50, '3 s of CPU in a minute');
    assert.equal((await state())?.measuredAt.getTime(), deps.now().getTime());
  });

  it('asks no health of one that is stopped, and says that another does not answer', async () => {
    const { deps, runtime, workload, state } = await running();
    const probe = async () => ({ ok: false, summary: 'nothing answered', status: null, commit: null });
    await measureWorkload({ ...deps, runtime: { ...runtime, probe } }, workload, signal);
    assert.deepEqual((await state())?.health, { ok: false, status: null, path: '/health' });
    runtime.stop(workload);
    await measureWorkload(deps, workload, signal);
    assert.deepEqual([(await state())?.status, (await state())?.health], ['stopped', null]);
  });

  it('notes nothing of one that is gone', async () => {
    const { deps, runtime, workload, state } = await running();
    await runtime.remove(workload, 1);
    await measureWorkload(deps, workload, signal);
    assert.equal(await state(), null);
  });

  it('that fails for one is told at the end, and hinders no other', async () => {
    const { deps, runtime, startWorkload, state } = await running();
    const other = await startWorkload({ service: 'notes', buildId: 'bld_notes' });
    const measure: typeof runtime.measure = async (workload) => {
      if (workload.id === other.id) throw new FairleadError('UNAVAILABLE', 'the engine is away');
      return await runtime.measure(workload);
    };
    await assert.rejects(reconcileWorkloads({ ...deps, runtime: { ...runtime, measure } }, signal), {
      message: /state of notes\/sandbox: the engine is away/,
    });
    assert.equal((await state())?.status, 'running');
    assert.equal(await deps.workloadStates.find('bld_notes'), null);
  });
});
