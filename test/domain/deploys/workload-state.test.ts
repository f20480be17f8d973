import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meanCpuMillis, type WorkloadMeasure } from '../../../domain/deploys/workload-state.ts';

const STARTED = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(STARTED.getTime() + seconds * 1_000);
const used = (cpuUsedMs: number) => ({ memoryBytes: 1, memoryLimitBytes: null, cpuUsedMs, cpuLimitMillis: null });
const measure = (cpuUsedMs: number | null, since: Date | null = STARTED): WorkloadMeasure => ({
  ...{ status: 'running', since, restarts: 0, outOfMemory: false },
  usage: cpuUsedMs === null ? null : used(cpuUsedMs),
});

describe('the mean CPU between two measurements', () => {
  const rows: readonly [
    what: string,
    before: WorkloadMeasure | null,
    now: WorkloadMeasure,
    seconds: number,
    mean: number | null,
  ][] = [
    ['a tenth of a core', measure(1_000), measure(7_000), 60, 100],
    ['two cores', measure(0), measure(120_000), 60, 2_000],
    ['nothing', measure(5), measure(5), 60, 0],
    ['the first measurement', null, measure(5), 60, null],
    ['a process that was started again', measure(1_000), measure(1_200, at(30)), 60, null],
    ['a counter that went back', measure(1_000), measure(10), 60, null],
    ['one that was stopped before', measure(null), measure(10), 60, null],
    ['one that is stopped now', measure(10), measure(null), 60, null],
    ['two at once', measure(10), measure(20), 0.5, null],
    ['a clock that went back', measure(10), measure(20), -60, null],
  ];
  for (const [what, before, now, seconds, mean] of rows) {
    it(what, () => {
      const measuredAt = at(100);
      const noted = before === null ? null : { ...before, measuredAt };
      assert.equal(meanCpuMillis(noted, now, new Date(measuredAt.getTime() + seconds * 1_000)), mean);
    });
  }
});
