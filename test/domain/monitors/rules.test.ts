import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { emptyCondition } from '../../../domain/monitors/apply-result.ts';
import { type CheckResult, OUTCOMES, PROBLEMS } from '../../../domain/monitors/check-result.ts';
import { stateOf } from '../../../domain/monitors/condition.ts';
import type { RollUp } from '../../../domain/monitors/history.ts';
import { bucketBoundMs, histogramOf, mergeHistograms, quantileMs } from '../../../domain/monitors/latency-histogram.ts';
import { isOwnFault } from '../../../domain/monitors/own-fault.ts';
import { packResults, packShard, unpackResults, unpackShard } from '../../../domain/monitors/packed-results.ts';
import { periodOf, periodsIn, rollUpsWithin, withRollUps } from '../../../domain/monitors/packed-roll-up.ts';
import { monitorRecord, resultOf } from '../../support/monitor-records.ts';

const NOW = Date.parse('2026-11-01T10:00:00Z');

test('results come out of their bytes as they went in, at most 24 bytes each', () => {
  const fields = {
    at: fc.integer({ min: NOW, max: NOW + 3_600_000 }),
    outcome: fc.constantFrom(...OUTCOMES),
    durationMs: fc.integer({ min: 0, max: 65_535 }),
    problem: fc.option(fc.constantFrom(...PROBLEMS)),
    status: fc.option(fc.integer({ min: 100, max: 599 })),
  };
  fc.assert(
    fc.property(fc.array(fc.record(fields, { noNullPrototype: true })), (results: readonly CheckResult[]) => {
      const numbered = results.map((each, index) => ({ ...each, number: 2 ** 32 - 1 - index }));
      const bytes = packShard(numbered, NOW);
      assert.deepEqual(unpackShard(bytes, NOW), numbered);
      assert.ok(bytes.length <= 24 * results.length);
      assert.deepEqual(unpackResults(packResults(results, NOW), NOW), results);
    }),
  );
});

test('an hour of checks at an interval is kept in 4 bytes each, and says when it is cut off', () => {
  const results = Array.from({ length: 120 }, (_, index): CheckResult => {
    const at = NOW + 17_123 + 30_000 * index + (index % 5);
    return { at, outcome: 'ok', durationMs: 80 + index, problem: null, status: 200 };
  });
  const bytes = packResults(results, NOW);
  assert.ok(bytes.length <= 4 * results.length, `${bytes.length} bytes`);
  assert.deepEqual(unpackResults(bytes, NOW), results);
  assert.throws(() => unpackResults(bytes.subarray(0, -1), NOW), RangeError);
});

test('roll-ups of a period come out of their bytes as they went in, the last one written of each', () => {
  const count = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  const fields = {
    place: fc.integer({ min: 0, max: 23 }),
    time: fc.record({
      upMs: count,
      degradedMs: count,
      downMs: count,
      maintenanceMs: count,
      checks: count,
      failed: count,
    }),
    // As histograms are made: nothing behind the last count.
    latency: fc
      .array(fc.nat(200), { maxLength: 65 })
      .map((counts) => counts.slice(0, counts.findLastIndex((n) => n > 0) + 1)),
  };
  const period = periodOf('1h', new Date(NOW));
  fc.assert(
    fc.property(fc.array(fc.record(fields), { maxLength: 40 }), fc.integer({ min: 0, max: 40 }), (given, first) => {
      const rollUps = given.map(({ place, time, latency }): RollUp => {
        const startsAt = new Date(period.startsAt.getTime() + 3_600_000 * place);
        return { monitorId: 'mon_1', length: '1h', startsAt, ...time, latency };
      });
      const packed = withRollUps(
        withRollUps(new Uint8Array(), period, rollUps.slice(0, first)),
        period,
        rollUps.slice(first),
      );
      const last = new Map(rollUps.map((each) => [each.startsAt.getTime(), each]));
      const key = { monitorId: 'mon_1', length: '1h', period } as const;
      const all = rollUpsWithin(packed, key, { from: new Date(0), to: period.expiresAt });
      assert.deepEqual(
        all,
        [...last.values()].sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime()),
      );
    }),
  );
});

test('90 days lie in two periods at most, and each is kept until its last day may go', () => {
  for (let day = Date.parse('2027-01-01'); day < Date.parse('2029-01-01'); day += 86_400_000) {
    const periods = periodsIn('1d', new Date(day - 89 * 86_400_000), new Date(day + 1));
    assert.ok(periods.length <= 2, new Date(day).toISOString());
    assert.ok((periods.at(-1)?.expiresAt.getTime() ?? 0) >= day + 401 * 86_400_000);
  }
});

test('quantiles of merged latencies are at most 19 % above those of the single ones', () => {
  const durations = fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(
      fc.array(durations, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(0.5, 0.95, 0.99),
      (parts, quantile) => {
        const all = parts.flat().sort((a, b) => a - b);
        const exact = all[Math.max(1, Math.ceil(quantile * all.length)) - 1] ?? 0;
        const found = quantileMs(mergeHistograms(parts.map(histogramOf)), quantile) ?? 0;
        assert.ok(found >= Math.floor(exact) - 1 && found <= exact * bucketBoundMs(1) + 1, `${found} of ${exact}`);
      },
    ),
  );
  assert.equal(quantileMs([], 0.5), null);
});

test('failures are the prober’s own when over half of its checks fail and no control answers', () => {
  const view = { checked: 10, failed: 6, controls: 2, controlsAnswering: 0 };
  assert.equal(isOwnFault(view), true);
  assert.equal(isOwnFault({ ...view, failed: 5 }), false);
  assert.equal(isOwnFault({ ...view, controlsAnswering: 1 }), false);
  assert.equal(isOwnFault({ ...view, controls: 0 }), false);
  assert.equal(isOwnFault({ ...view, checked: 0, failed: 0 }), false);
});

test('what is shown: paused and maintenance first, and old results never look up', () => {
  const up = {
    ...emptyCondition('mon_1'),
    verdict: { verdict: 'up', since: NOW, run: null },
    seenAt: NOW,
    last: resultOf('mon_1', NOW),
  } as const;
  const at = (ms: number) => new Date(NOW + ms);
  const window = { from: at(0), to: at(1_000), note: null };
  assert.equal(stateOf(monitorRecord(1), up, at(0)), 'up');
  assert.equal(stateOf(monitorRecord(1), null, at(0)), 'pending');
  assert.equal(stateOf(monitorRecord(1), up, at(600_000)), 'unknown');
  // The clock was ahead, and is right again.
  assert.equal(stateOf(monitorRecord(1), up, at(-600_000)), 'unknown');
  assert.equal(stateOf(monitorRecord(1, { maintenance: [window] }), up, at(999)), 'maintenance');
  assert.equal(stateOf(monitorRecord(1, { maintenance: [window] }), up, at(1_000)), 'up');
  assert.equal(stateOf(monitorRecord(1, { paused: { at: at(0), by: 'usr_ada' } }), up, at(0)), 'paused');
  assert.equal(stateOf(monitorRecord(1, { archivedAt: at(0) }), up, at(0)), 'paused');
});
