import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WorkloadStates } from '../../domain/deploys/workload-runtime.ts';
import type { WorkloadState } from '../../domain/deploys/workload-state.ts';

export function workloadState(changes: Partial<WorkloadState> = {}): WorkloadState {
  return {
    ...{
      buildId: 'bld_1',
      status: 'running',
      since: new Date('2026-01-01T00:00:00Z'),
      restarts: 1,
      outOfMemory: false,
    },
    usage: { memoryBytes: 64 * 1024 ** 2, memoryLimitBytes: 256 * 1024 ** 2, cpuUsedMs: 1_500, cpuLimitMillis: 250 },
    ...{ cpuMillis: 12, health: { ok: true, status: 200, path: '/health' }, measuredAt: new Date() },
    ...changes,
  };
}

/** What every {@link WorkloadStates} guarantees; its clock is that of the machine. */
export function workloadStatesSuite(under: () => WorkloadStates): void {
  describe('WorkloadStates', () => {
    it('keep the last state of each workload, with all that is not known', async () => {
      const first = workloadState();
      const unknown = { usage: null, since: null, cpuMillis: null, health: null };
      const last = workloadState({ ...unknown, status: 'stopped', restarts: 3, outOfMemory: true });
      const other = workloadState({ buildId: 'bld_2', health: { ok: false, status: null, path: '/' } });
      for (const state of [first, other, last]) await under().put(state);
      assert.deepEqual(await under().find('bld_1'), last);
      assert.deepEqual(await under().find('bld_2'), other);
      assert.equal(await under().find('bld_3'), null);
    });

    it('show nothing that was measured an hour ago', async () => {
      await under().put(workloadState({ buildId: 'bld_old', measuredAt: new Date(Date.now() - 3_601_000) }));
      assert.equal(await under().find('bld_old'), null);
    });
  });
}
