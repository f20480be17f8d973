import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CheckResult } from '../../../domain/monitors/check-result.ts';
import type { RollUp } from '../../../domain/monitors/history.ts';
import type { MaintenanceWindow } from '../../../domain/monitors/maintenance.ts';
import { inOrder, packResults, unpackResults } from '../../../domain/monitors/packed-results.ts';
import { periodOf, rollUpsWithin, withRollUps } from '../../../domain/monitors/packed-roll-up.ts';
import { HOUR_MS, lookAheadMs, mergeRollUps, rollUpHour } from '../../../domain/monitors/roll-up-hour.ts';
import { NOTHING_REPLAYED } from '../../../domain/monitors/timeline.ts';

/** The oracle asks of every single second how the monitor was, by what the contract says, and shares no code with the rules. */

const HOURS = 3;
/** Beginnings of three hours that end in the next day, on a leap day, in the next year, or nowhere special. */
const BEGINNINGS = [
  '2027-06-15T22:00Z',
  '2028-02-28T22:00Z',
  '2028-02-29T21:00Z',
  '2026-12-31T23:00Z',
  '2027-03-28T00:00Z',
];

interface History {
  readonly intervalSeconds: number;
  readonly startsAt: number;
  readonly results: readonly CheckResult[];
  readonly maintenance: readonly MaintenanceWindow[];
}

/** What happens between two checks, in seconds of the clock: mostly an interval, else a confirm, a gap, or another clock. */
const step = (interval: number) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: -2, max: 2 }).map((jitter) => Math.max(1, interval + jitter)) },
    { weight: 3, arbitrary: fc.constant(5) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 4 * interval }) },
    { weight: 1, arbitrary: fc.constantFrom(3_600, -3_600, 1_800, -90) },
  );
const outcome = fc.oneof(
  { weight: 6, arbitrary: fc.constant('ok' as const) },
  { weight: 3, arbitrary: fc.constant('failed' as const) },
  { weight: 2, arbitrary: fc.constant('slow' as const) },
  { weight: 1, arbitrary: fc.constant('unknown' as const) },
);
const window = fc.tuple(fc.integer({ min: -600, max: HOURS * 3_600 }), fc.integer({ min: 1, max: 5_400 }));

const history: fc.Arbitrary<History> = fc
  .tuple(fc.constantFrom(5, 30, 60, 300, 1_800, 3_600), fc.constantFrom(...BEGINNINGS))
  .chain(([intervalSeconds, beginning]) => {
    const startsAt = Date.parse(beginning);
    const checks = fc.array(fc.tuple(step(intervalSeconds), outcome), { maxLength: 60 });
    return fc
      .tuple(checks, fc.integer({ min: 0, max: HOURS * 3_600 }), fc.array(window, { maxLength: 3 }))
      .map(([steps, first, windows]): History => {
        let at = startsAt + first * 1_000;
        const results = steps.map(([seconds, found]): CheckResult => {
          at += seconds * 1_000;
          return { at, outcome: found, durationMs: 20, problem: null, status: null };
        });
        const maintenance = windows.map(([from, length]) => ({
          from: new Date(startsAt + from * 1_000),
          to: new Date(startsAt + (from + length) * 1_000),
          note: null,
        }));
        return { intervalSeconds, startsAt, results: inOrder(results), maintenance };
      });
  });

test('uptime of 10,000 random histories equals what every single second says', { timeout: 240_000 }, () => {
  fc.assert(
    fc.property(history, (given) => {
      assert.deepEqual(rolledUp(given), oracle(given));
    }),
    { numRuns: 10_000 },
  );
});

/** Hour by hour, each from where the one before ended, as roll-ups are made; from the first result on. */
function rolledUp({ intervalSeconds, startsAt, results, maintenance }: History) {
  const monitor = { id: 'mon_1', intervalSeconds, maintenance };
  const parts: RollUp[] = [];
  let opening = NOTHING_REPLAYED;
  const first = Math.min(startsAt, results[0]?.at ?? startsAt);
  for (let hour = Math.floor(first / HOUR_MS) * HOUR_MS; hour < startsAt + HOURS * HOUR_MS; hour += HOUR_MS) {
    const end = hour + HOUR_MS + lookAheadMs(monitor);
    // As they are kept.
    const read = unpackResults(
      packResults(
        results.filter(({ at }) => hour <= at && at < end),
        hour,
      ),
      hour,
    );
    const rolled = rollUpHour(monitor, hour, read, opening);
    opening = rolled.closing;
    const merged = mergeRollUps(rolled.slices, '1h');
    assert.deepEqual(merged, rolled.hour, 'the slices add up to the hour');
    if (hour >= startsAt && rolled.hour !== null) parts.push(...kept(rolled.hour));
  }
  const sum = (of: (part: RollUp) => number): number => parts.reduce((total, part) => total + of(part), 0) / 1_000;
  return {
    up: sum(({ upMs, degradedMs }) => upMs - degradedMs),
    degraded: sum(({ degradedMs }) => degradedMs),
    down: sum(({ downMs }) => downMs),
    maintenance: sum(({ maintenanceMs }) => maintenanceMs),
  };
}

/** A roll-up as it comes out of the store. */
function kept(rollUp: RollUp): readonly RollUp[] {
  const { monitorId, length, startsAt: from } = rollUp;
  const period = periodOf(length, from);
  const packed = withRollUps(new Uint8Array(), period, [rollUp]);
  return rollUpsWithin(packed, { monitorId, length, period }, { from, to: new Date(from.getTime() + HOUR_MS) });
}

type Said = 'pending' | 'up' | 'degraded' | 'down';

function oracle({ intervalSeconds, startsAt, results, maintenance }: History) {
  const real = results.filter(({ outcome: found }) => found !== 'unknown');
  const said = verdictsOf(real, intervalSeconds);
  const seconds = { up: 0, degraded: 0, down: 0, maintenance: 0 };
  for (let second = 0; second < HOURS * 3_600; second += 1) {
    const at = startsAt + second * 1_000;
    if (maintenance.some(({ from, to }) => from.getTime() <= at && at < to.getTime())) {
      seconds.maintenance += 1;
      continue;
    }
    const before = real.findLast((result) => result.at <= at);
    const next = real.find((result) => result.at > at);
    if (before === undefined) continue;
    const isGapNext = next === undefined || next.at - before.at > 2.5 * intervalSeconds * 1_000;
    if (isGapNext && at >= before.at + intervalSeconds * 1_000) continue;
    const verdict = said.findLast((change) => change.from <= at)?.verdict ?? 'pending';
    if (verdict !== 'pending') seconds[verdict] += 1;
  }
  return seconds;
}

/** Two results in a row without a gap between them, by the verdict before: what they make of it. */
const PAIRS: Readonly<Record<string, Said>> = {
  ...{ 'pending failed failed': 'down', 'up failed failed': 'down', 'degraded failed failed': 'down' },
  ...{ 'down ok ok': 'up', 'down slow ok': 'up', 'down ok slow': 'degraded', 'down slow slow': 'degraded' },
  ...{ 'up slow slow': 'degraded', 'degraded ok ok': 'up' },
};

/** From the first of the two on; the first answer of all counts at once. */
function verdictsOf(real: readonly CheckResult[], intervalSeconds: number): readonly { from: number; verdict: Said }[] {
  const changes: { from: number; verdict: Said }[] = [];
  for (const [index, { at, outcome: found }] of real.entries()) {
    const verdict = changes.at(-1)?.verdict ?? 'pending';
    const before = index === 0 ? undefined : real[index - 1];
    const inRow = before !== undefined && at - before.at <= 2.5 * intervalSeconds * 1_000;
    const next = inRow ? PAIRS[`${verdict} ${before.outcome} ${found}`] : undefined;
    if (next !== undefined) changes.push({ from: before?.at ?? at, verdict: next });
    else if (verdict === 'pending' && found !== 'failed')
      changes.push({ from: at, verdict: found === 'slow' ? 'degraded' : 'up' });
  }
  return changes;
}
