import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openShardRecorder, type RecorderDeps } from '../../../activities/monitors/shard-recorder.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { changedMonitor } from '../../../domain/monitors/change-monitor.ts';
import type { Outcome } from '../../../domain/monitors/check-result.ts';
import type { Transition } from '../../../domain/monitors/condition.ts';
import { createMemoryResults } from '../../support/in-memory/monitor-history.ts';
import { createMemoryConditions, createMemoryMonitors } from '../../support/in-memory/monitors.ts';
import { monitorRecord, resultOf } from '../../support/monitor-records.ts';
import { waitUntil } from '../../support/wait-until.ts';

const SHARD = 0;
const NUMBER = 4;
const ID = `mon_${NUMBER}`;
const START = Date.parse('2026-11-01T10:00:00Z');

/** One monitor, on stores in memory that outlive each holder. */
async function world() {
  const monitors = createMemoryMonitors();
  const monitor = monitorRecord(NUMBER);
  await monitors.insert(monitor);
  const told: Transition[] = [];
  const clock = { now: START };
  const announced: number[] = [];
  const listener = {
    fault: null as Error | null,
    until: null as Promise<void> | null,
    calls: 0,
    isMute: false,
    orgs: [] as (string | null)[],
  };
  const conditions = createMemoryConditions();
  const results = createMemoryResults();
  const deps: RecorderDeps = {
    ...{ monitors, conditions, results },
    listener: {
      async announce(transitions) {
        announced.push(...transitions.map(([, { sequence }]) => sequence));
        if (listener.isMute) throw new Error('nobody hears it');
      },
      async tell({ org }, transition) {
        if (listener.fault !== null) throw listener.fault;
        listener.orgs.push(org);
        listener.calls += 1;
        await listener.until;
        if (!told.some(({ sequence }) => sequence === transition.sequence)) told.push(transition);
      },
    },
    now: () => new Date(clock.now),
    onFailure: () => undefined,
  };
  const open = () => openShardRecorder(deps, SHARD);
  /** Checks by an interval of 30 s, and 5 s after a first failure. */
  const check = async (
    recorder: Awaited<ReturnType<typeof open>>['recorder'],
    outcomes: readonly Outcome[],
    stepMs = 30_000,
  ) => {
    for (const outcome of outcomes) {
      clock.now += stepMs;
      await recorder.record([resultOf(ID, clock.now, outcome)], 'checks');
    }
  };
  return { monitor, monitors, conditions, results, told, announced, clock, listener, open, check };
}

const kinds = (told: readonly Transition[]) => told.map(({ kind }) => kind);

test('what is down is announced once, while telling waits, and what is up is not; an announcement that fails holds nothing up', async () => {
  const { open, check, told, announced, listener } = await world();
  listener.isMute = true;
  listener.fault = new FairleadError('UNAVAILABLE', 'away', { retryable: true });
  const { recorder } = await open();
  await check(recorder, ['ok', 'ok', 'failed', 'failed', 'failed']);
  assert.deepEqual([announced, kinds(told)], [[1], []]);
  listener.fault = null;
  await check(recorder, ['ok', 'ok']);
  assert.deepEqual([announced, kinds(told)], [[1], ['down', 'up']]);
});

test('down is told once, by the second failure, and dates back to the first', async () => {
  const { open, check, told, clock } = await world();
  const { recorder } = await open();
  await check(recorder, ['ok', 'ok', 'failed']);
  const first = clock.now;
  assert.deepEqual(kinds(told), []);
  await check(recorder, ['failed'], 5_000);
  assert.deepEqual(
    told.map(({ kind, at, sequence }) => ({ kind, at, sequence })),
    [{ kind: 'down', at: first, sequence: 1 }],
  );
  await check(recorder, ['failed', 'failed', 'failed']);
  assert.equal(told.length, 1);
  await check(recorder, ['ok', 'ok']);
  assert.deepEqual(kinds(told), ['down', 'up']);
  assert.equal(told[1]?.downSequence, 1);
});

test('one lost check tells nothing, and neither do failures on both sides of a gap', async () => {
  const { open, check, told } = await world();
  const { recorder } = await open();
  await check(recorder, ['ok', 'failed', 'ok', 'failed', 'ok', 'failed']);
  await check(recorder, ['failed'], 600_000);
  assert.deepEqual(kinds(told), []);
});

test('what the prober could not tell changes nothing', async () => {
  const { open, check, told } = await world();
  const { recorder } = await open();
  await check(recorder, ['ok', 'unknown', 'unknown', 'unknown', 'ok']);
  assert.deepEqual(kinds(told), []);
  assert.equal(recorder.conditions().get(ID)?.verdict.verdict, 'up');
});

test('a restart says nothing, and one while it is down tells the recovery of the same outage', async () => {
  const { open, check, told } = await world();
  const first = await open();
  await check(first.recorder, ['ok', 'failed', 'failed']);
  const second = await open();
  await check(second.recorder, ['failed']);
  assert.deepEqual(kinds(told), ['down']);
  await check(second.recorder, ['ok', 'ok']);
  assert.deepEqual(
    told.map(({ kind, downSequence }) => [kind, downSequence]),
    [
      ['down', 1],
      ['up', 1],
    ],
  );
});

test('the older of two holders can write nothing any more, neither results nor what they decide', async () => {
  const { open, check, told, conditions } = await world();
  const older = await open();
  await check(older.recorder, ['ok']);
  const newer = await open();
  const isConflict = (error: unknown) =>
    error instanceof FairleadError && error.code === 'CONFLICT' && !error.retryable;
  await assert.rejects(check(older.recorder, ['failed']), isConflict);
  const before = (await conditions.find([ID])).get(ID);
  assert.ok(before !== undefined);
  await assert.rejects(conditions.write([{ ...before, sequence: 9 }], older.recorder.fence), isConflict);
  await check(newer.recorder, ['failed', 'failed']);
  assert.deepEqual(kinds(told), ['down']);
});

test('results that are given again count once', async () => {
  const { open, told, clock } = await world();
  const { recorder } = await open();
  const batch = [resultOf(ID, clock.now, 'ok'), resultOf(ID, clock.now + 30_000, 'failed')];
  await recorder.record(batch, 'checks');
  await recorder.record(batch, 'disk');
  assert.deepEqual(kinds(told), []);
  // By the next holder as well, which finds them on the disk of a prober that was killed.
});

test('results of an outage that was over long ago go into the history, and open none', async () => {
  const { open, check, told, results, clock } = await world();
  const before = clock.now;
  const { recorder } = await open();
  await check(recorder, ['ok', ...Array.from({ length: 20 }, () => 'ok' as const)]);
  // Of a prober that was cut off, and has the shard again.
  const again = await open();
  const failures = [1, 2, 3].map((index) => resultOf(ID, before + 120_001 + index * 30_000, 'failed'));
  await again.recorder.record(failures, 'disk');
  await again.recorder.record(failures, 'disk');
  await check(again.recorder, ['ok']);
  assert.deepEqual(kinds(told), []);
  assert.equal(again.recorder.conditions().get(ID)?.verdict.verdict, 'up');
  const kept = await results.read({ number: NUMBER }, new Date(before), new Date(clock.now + 1));
  assert.equal(kept.filter(({ outcome }) => outcome === 'failed').length, 3);
});

test('checks count at once after the clock was set back, by however little', async () => {
  const { open, check, told, clock } = await world();
  const { recorder } = await open();
  await check(recorder, ['ok', 'ok']);
  clock.now -= 55_000;
  await check(recorder, ['failed', 'failed'], 5_000);
  assert.deepEqual(kinds(told), ['down']);
});

test('what was decided while the incidents were away is told by the next holder, once', async () => {
  const { open, check, told, listener } = await world();
  const first = await open();
  listener.fault = new FairleadError('UNAVAILABLE', 'Temporal is away', { retryable: true });
  await check(first.recorder, ['ok', 'failed', 'failed']);
  assert.deepEqual(kinds(told), []);
  listener.fault = null;
  const second = await open();
  assert.deepEqual(kinds(told), ['down']);
  await check(second.recorder, ['failed']);
  await open();
  assert.deepEqual(kinds(told), ['down']);
});

test('results are recorded while the incidents do not answer, and what they decided is told afterwards, once', async () => {
  const { open, check, told, listener, clock } = await world();
  const { recorder } = await open();
  await check(recorder, ['ok', 'failed']);
  const answered = Promise.withResolvers<void>();
  listener.until = answered.promise;
  await check(recorder, ['failed', 'ok', 'ok']);
  assert.deepEqual([recorder.conditions().get(ID)?.last?.at, kinds(told)], [clock.now, []]);
  answered.resolve();
  await waitUntil('both are told', () => told.length === 2);
  await check(recorder, ['ok', 'ok']);
  assert.deepEqual([kinds(told), listener.calls], [['down', 'up'], 2]);
});

test('orgs are told in turn: the hundreds of outages of one keep no end of another waiting', async () => {
  const { monitors, open, listener, clock } = await world();
  const ids = Array.from({ length: 40 }, (_, index) => 4 * (index + 2));
  const ownerOf = (number: number): string => (number === ids.at(-1) ? 'calm' : 'busy');
  for (const number of ids) await monitors.insert(monitorRecord(number, { org: ownerOf(number) }));
  const { recorder } = await open();
  const record = async (outcome: Outcome): Promise<void> => {
    clock.now += 30_000;
    await recorder.record(
      ids.map((number) => resultOf(`mon_${number}`, clock.now, outcome)),
      'checks',
    );
  };
  for (const outcome of ['ok', 'failed', 'failed'] as const) await record(outcome);
  const before = listener.orgs.length;
  assert.equal(before, ids.length);
  for (const outcome of ['ok', 'ok'] as const) await record(outcome);
  const [firstDown, firstUp] = [listener.orgs, listener.orgs.slice(before)].map((orgs) => orgs.indexOf('calm'));
  assert.deepEqual([firstDown, firstUp], [1, 1]);
});

test('a monitor that goes up and down is told as flapping once, and so is its end', async () => {
  const { open, check, told } = await world();
  const { recorder } = await open();
  await check(recorder, ['ok', ...pairs(6)]);
  assert.deepEqual(kinds(told), ['down', 'up', 'down', 'flapping']);
  await check(
    recorder,
    Array.from({ length: 120 }, () => 'ok' as const),
  );
  assert.deepEqual(kinds(told), ['down', 'up', 'down', 'flapping', 'steady', 'up']);
  assert.equal(told.at(-1)?.downSequence, 3);
});

function pairs(count: number): readonly Outcome[] {
  return Array.from({ length: count }, (): readonly Outcome[] => ['failed', 'failed', 'ok', 'ok']).flat();
}

test('in maintenance nothing is told; what is still down afterwards is', async () => {
  const { open, check, told, monitor, clock } = await world();
  const { recorder } = await open();
  await check(recorder, ['ok']);
  const window = { from: new Date(clock.now), to: new Date(clock.now + 120_000), note: null };
  const changed = changedMonitor(monitor, { maintenance: [window] }, new Date(clock.now));
  assert.ok(changed !== null);
  await recorder.follow([changed]);
  await check(recorder, ['failed', 'failed', 'failed']);
  assert.deepEqual(kinds(told), []);
  await check(recorder, ['failed']);
  assert.deepEqual(kinds(told), ['down']);
});

test('in each of its recurring times of maintenance nothing is told, for weeks; between them outages are', async () => {
  const { open, told, monitor, clock } = await world();
  const { recorder } = await open();
  clock.now = Date.parse('2026-11-01T00:00:00Z');
  const weekly = { id: 'mnt_1', cron: '0 3 * * sun', timeZone: 'UTC', minutes: 60, note: null, until: null, cut: null };
  const changed = changedMonitor(
    monitor,
    { recurring: [{ ...weekly, since: new Date(clock.now) }] },
    new Date(clock.now),
  );
  assert.ok(changed !== null);
  await recorder.follow([changed]);
  const checkAt = async (time: string, outcome: Outcome) => {
    for (const seconds of [0, 5]) {
      clock.now = Date.parse(time) + seconds * 1_000;
      await recorder.record([resultOf(ID, clock.now, outcome)], 'checks');
    }
  };
  for (const day of ['01', '08', '15', '22']) {
    await checkAt(`2026-11-${day}T02:00:00Z`, 'ok');
    await checkAt(`2026-11-${day}T03:10:00Z`, 'failed');
    await checkAt(`2026-11-${day}T03:50:00Z`, 'ok');
  }
  assert.deepEqual(kinds(told), []);
  await checkAt('2026-11-29T02:30:00Z', 'failed');
  assert.deepEqual(kinds(told), ['down']);
});

test('pausing a monitor closes what is open, and its results count no more', async () => {
  const { open, check, told, monitor, clock, results } = await world();
  const { recorder } = await open();
  await check(recorder, ['ok', 'failed', 'failed']);
  const changed = changedMonitor(monitor, { paused: { at: new Date(clock.now), by: 'usr_ada' } }, new Date(clock.now));
  assert.ok(changed !== null);
  await recorder.follow([changed]);
  assert.deepEqual(kinds(told), ['down', 'up']);
  await check(recorder, ['failed', 'failed']);
  assert.deepEqual(kinds(told), ['down', 'up']);
  assert.equal((await results.read(monitor, new Date(START), new Date(clock.now + 1))).length, 3);
});

test('the order of a clock that was set back by an hour is that of the checks', async () => {
  const { open, check, told, clock } = await world();
  const { recorder } = await open();
  await check(recorder, ['ok', 'ok']);
  clock.now -= 3_600_000;
  await check(recorder, ['failed', 'failed']);
  assert.deepEqual(kinds(told), ['down']);
});
