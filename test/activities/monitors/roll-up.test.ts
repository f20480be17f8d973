import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RollUpDeps, rollUpShard } from '../../../activities/monitors/roll-up.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { CheckResult, Outcome } from '../../../domain/monitors/check-result.ts';
import type { TimeByState } from '../../../domain/monitors/history.ts';
import { inOrder } from '../../../domain/monitors/packed-results.ts';
import { createMonitorHistory } from '../../../domain/monitors/read-history.ts';
import { HOUR_MS } from '../../../domain/monitors/roll-up-hour.ts';
import { NOTHING_REPLAYED, replay, timeByState } from '../../../domain/monitors/timeline.ts';
import { createMemoryResults, createMemoryRollUps } from '../../support/in-memory/monitor-history.ts';
import { createMemoryMonitors } from '../../support/in-memory/monitors.ts';
import { monitorRecord, resultOf } from '../../support/monitor-records.ts';

const SHARD = 0;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;
/** A leap day begins. */
const START = Date.parse('2028-02-29T00:00:00Z');
const NEVER = new AbortController().signal;

async function world(intervalSeconds = 60) {
  const monitors = createMemoryMonitors();
  const monitor = monitorRecord(4, { intervalSeconds });
  await monitors.insert(monitor);
  const [results, rollUps] = [createMemoryResults(), createMemoryRollUps()];
  const clock = { now: START };
  const deps: RollUpDeps = { monitors, results, rollUps, now: () => new Date(clock.now), daysMade: new Map() };
  const fence = await results.claim(SHARD);
  const all: CheckResult[] = [];
  const append = async (found: readonly CheckResult[]): Promise<void> => {
    all.push(...found);
    await results.append({ shard: SHARD, fence, results: found.map((each) => ({ ...each, number: monitor.number })) });
  };
  const history = createMonitorHistory({ rollUps });
  /** What a replay of everything at once says of the whole time. */
  const expected = (days: number): TimeByState => {
    const { segments } = replay(NOTHING_REPLAYED, inOrder(all), intervalSeconds * 1_000);
    return timeByState(segments, [], START, START + days * DAY_MS);
  };
  const stored = async (days: number): Promise<TimeByState> => {
    const now = new Date(START + days * DAY_MS - 1);
    const { upMs, degradedMs, downMs, maintenanceMs } = (await history.uptime([monitor.id], days, now)).get(
      monitor.id,
    ) ?? {
      ...{ upMs: 0, degradedMs: 0, downMs: 0, maintenanceMs: 0 },
    };
    return { upMs, degradedMs, downMs, maintenanceMs };
  };
  const rollUp = async (now: number): Promise<void> => {
    clock.now = now;
    await rollUpShard(deps, SHARD, NEVER);
  };
  return { monitor, results, rollUps, deps, append, expected, stored, rollUp, history };
}

/** Checks each minute, which fail between two minutes. */
function checks(from: number, to: number, down: readonly (readonly [number, number])[] = []): readonly CheckResult[] {
  return Array.from({ length: to - from }, (_, index) => {
    const minute = from + index;
    const outcome: Outcome = down.some(([first, last]) => first <= minute && minute < last) ? 'failed' : 'ok';
    const {
      monitorId: _monitorId,
      message: _message,
      ...result
    } = resultOf('mon_4', START + minute * MINUTE_MS + 1_500, outcome);
    return result;
  });
}

test('two days rolled up each hour add up to what a replay of all results says', async () => {
  const { append, rollUp, expected, stored } = await world();
  const down = [
    [55, 65],
    [300, 320],
    [1_435, 1_450],
  ] as const;
  for (let hour = 0; hour < 48; hour += 1) {
    // Of one hour there is no data, and of another one none of its end.
    const to = hour === 20 ? 60 * hour + 30 : 60 * (hour + 1);
    if (hour !== 10) await append(checks(60 * hour, to, down));
    await rollUp(START + (hour + 1) * HOUR_MS - 5 * MINUTE_MS);
    await rollUp(START + (hour + 1) * HOUR_MS + 15 * MINUTE_MS);
  }
  await rollUp(START + 50 * HOUR_MS);
  assert.deepEqual(await stored(2), expected(2));
  assert.equal((await stored(2)).downMs, 45 * MINUTE_MS);
});

test('results that come hours late are counted where they belong', async () => {
  const { append, rollUp, expected, stored, results, monitor } = await world();
  for (const hour of [0, 1, 3, 4]) await append(checks(60 * hour, 60 * (hour + 1)));
  await rollUp(START + 6 * HOUR_MS);
  await append(checks(120, 180, [[178, 180]]));
  await rollUp(START + 7 * HOUR_MS);
  assert.deepEqual(await stored(1), expected(1));
  assert.equal((await stored(1)).downMs, 2 * MINUTE_MS);
  assert.equal((await results.read(monitor, new Date(START), new Date(START + DAY_MS))).length, 300);
});

test('the current hour is rolled up as far as it is known, and a repeat changes nothing', async () => {
  const { append, rollUp, rollUps, monitor, expected, stored } = await world();
  await append(checks(0, 12));
  await rollUp(START + 12 * MINUTE_MS);
  const slices = () => rollUps.read(monitor.id, '5m', new Date(START), new Date(START + HOUR_MS));
  const first = await slices();
  assert.deepEqual(
    first.map(({ checks: count }) => count),
    [5, 5, 2],
  );
  await rollUp(START + 12 * MINUTE_MS);
  assert.deepEqual(await slices(), first);
  assert.deepEqual(await stored(1), expected(1));
});

test('an interval of an hour is counted over the hours that it covers', async () => {
  const { append, rollUp, expected, stored } = await world(3_600);
  for (const minute of [30, 90, 150]) await append(checks(minute, minute + 1));
  await rollUp(START + 12 * HOUR_MS);
  assert.deepEqual(await stored(1), expected(1));
  assert.equal((await stored(1)).upMs, 3 * HOUR_MS);
});

test('raw results stay until their roll-up was read back, and go a day later', async () => {
  const { append, rollUp, rollUps, results, monitor, deps } = await world();
  await append(checks(0, 60));
  const { read } = rollUps;
  Object.assign(deps.rollUps, { read: async () => [] });
  const isAway = (error: unknown) => error instanceof FairleadError && error.code === 'UNAVAILABLE' && error.retryable;
  await assert.rejects(rollUp(START + 2 * HOUR_MS), isAway);
  assert.equal((await results.readLoose(SHARD, new Date(START))).parts.length, 1);
  Object.assign(deps.rollUps, { read });
  await rollUp(START + 2 * HOUR_MS);
  const kept = () => results.read(monitor, new Date(START), new Date(START + HOUR_MS));
  assert.deepEqual([(await results.looseHours(SHARD)).length, (await kept()).length], [0, 60]);
  await rollUp(START + 26 * HOUR_MS);
  assert.equal((await kept()).length, 0);
  assert.equal((await rollUps.read(monitor.id, '1h', new Date(START), new Date(START + HOUR_MS))).length, 1);
});

test('a day is kept of a monitor that nothing was checked of in its last hours', async () => {
  const { append, rollUp, rollUps, monitor, expected, stored, history } = await world();
  await append(checks(0, 600, [[30, 40]]));
  await rollUp(START + 12 * HOUR_MS);
  const expectedDay = expected(1);
  // Nobody has rolled the day up yet: it is read of its hours.
  const { days } = history;
  const early = await days(monitor.id, 3, new Date(START + DAY_MS + MINUTE_MS));
  assert.deepEqual(
    early.map(({ downMs, checks: count }) => [downMs, count]),
    [[10 * MINUTE_MS, 600]],
  );
  await rollUp(START + DAY_MS + 5 * MINUTE_MS);
  const kept = await rollUps.read(monitor.id, '1d', new Date(START), new Date(START + DAY_MS));
  assert.deepEqual(
    kept.map(({ upMs, downMs }) => [upMs, downMs]),
    [[expectedDay.upMs, expectedDay.downMs]],
  );
  assert.deepEqual(await stored(2), expectedDay);
});

test('days that no worker saw the end of are made by the next one', async () => {
  const { append, rollUp, rollUps, monitor } = await world();
  for (const day of [0, 1, 2]) await append(checks(1_440 * day, 1_440 * day + 60));
  await rollUp(START + 2 * HOUR_MS);
  await rollUp(START + 20 * DAY_MS);
  const kept = await rollUps.read(monitor.id, '1d', new Date(START), new Date(START + 9 * DAY_MS));
  assert.deepEqual(
    kept.map(({ startsAt }) => (startsAt.getTime() - START) / DAY_MS),
    [0, 1, 2],
  );
});

test('a result that comes late and holds on over midnight counts in both days, though both are over', async () => {
  const { append, rollUp, rollUps, monitor } = await world(3_600);
  await append(checks(600, 601));
  await append(checks(1_440 + 600, 1_440 + 601));
  await rollUp(START + 3 * DAY_MS);
  await append(checks(1_410, 1_411));
  await rollUp(START + 3 * DAY_MS + HOUR_MS);
  const kept = await rollUps.read(monitor.id, '1d', new Date(START), new Date(START + 2 * DAY_MS));
  const upMs = kept.map((day) => day.upMs);
  assert.deepEqual(upMs, [90 * MINUTE_MS - 1_500, 90 * MINUTE_MS + 1_500]);
});
