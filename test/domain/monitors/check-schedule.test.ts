import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { phaseOf } from '../../../domain/monitors/check-phase.ts';
import { createCheckSchedule } from '../../../domain/monitors/check-schedule.ts';
import { MOST_OF_ORG } from '../../../domain/monitors/org-shares.ts';
import { MOST_OF_ADDRESS, MOST_OF_HOST } from '../../../domain/monitors/ready-checks.ts';
import type { ScheduledMonitor } from '../../../domain/monitors/scheduled-monitor.ts';

const AHEAD_MS = Date.parse('2026-03-01T00:00:00Z');
const INTERVAL_MS = 30_000;

const monitor = (id: string, changes: Partial<ScheduledMonitor> = {}): ScheduledMonitor => ({
  ...{ id, intervalMs: INTERVAL_MS, host: `${id}.example`, org: null, lastOutcome: 'ok' },
  ...changes,
});
const many = (count: number, changes: Partial<ScheduledMonitor> = {}) =>
  Array.from({ length: count }, (_, index) => monitor(`mon_${index}`, changes));

/** A schedule whose time passes as the test says; checks that start end at once unless the test ends them. */
function started(monitors: readonly ScheduledMonitor[], { endsAtOnce = true } = {}) {
  const schedule = createCheckSchedule({ aheadMs: AHEAD_MS, nowMs: 0 });
  schedule.set(monitors, 0);
  const begun: { readonly id: string; readonly atMs: number; readonly lateMs: number }[] = [];
  let now = 0;
  const look = (): number | null => {
    const { start, wakeAtMs } = schedule.take(now);
    for (const { id, lateMs } of start) {
      begun.push({ id, atMs: now, lateMs });
      if (endsAtOnce) schedule.ended(id, 'ok', now);
    }
    return wakeAtMs;
  };
  return {
    schedule,
    begun,
    now: () => now,
    /** The process is busy: nobody looks. */
    stall: (ms: number) => {
      now += ms;
    },
    run(ms: number) {
      const end = now + ms;
      for (;;) {
        const wake = look();
        const next = wake === null ? end : Math.max(wake, now + 1);
        if (next >= end) break;
        now = next;
      }
      now = end;
      look();
    },
  };
}

describe('the schedule of checks', () => {
  it('checks each monitor once an interval, at its own moment by the clock of the database, whoever starts it when', () => {
    const { begun, run } = started(many(500));
    run(10 * INTERVAL_MS);
    const byMonitor = Map.groupBy(begun, ({ id }) => id);
    assert.equal(byMonitor.size, 500);
    for (const [id, checks] of byMonitor) {
      assert.equal(checks.length, 10);
      for (const { atMs, lateMs } of checks) {
        assert.equal((AHEAD_MS + atMs - lateMs) % INTERVAL_MS, phaseOf(id, INTERVAL_MS));
        assert.ok(lateMs <= 20);
      }
    }
  });

  it('spreads a start over the interval: no second has more than twice its share', () => {
    const { begun, run } = started(many(5_000));
    run(INTERVAL_MS);
    const seconds = Object.values(Object.groupBy(begun, ({ atMs }) => String(Math.floor(atMs / 1_000))));
    assert.ok(Math.max(...seconds.map((checks) => checks?.length ?? 0)) < (2 * 5_000) / 30);
  });

  it('checks a new monitor at once, and many new ones one after the other', () => {
    const { schedule, begun, run, now } = started(many(10));
    run(3 * INTERVAL_MS);
    const before = begun.length;
    schedule.set([monitor('new', { lastOutcome: null })], now());
    run(1);
    assert.deepEqual(
      begun
        .slice(before)
        .map(({ id }) => id)
        .filter((id) => id === 'new'),
      ['new'],
    );
    const others = Array.from({ length: 200 }, (_, index) => monitor(`other_${index}`, { lastOutcome: null }));
    const at = now();
    schedule.set(others, at);
    run(1_900);
    const seen = begun.filter(({ id }) => id.startsWith('other_'));
    assert.ok(seen.length >= 185 && seen.length <= 205, `${seen.length} of 200 within 1.9 s`);
  });

  it('confirms an outcome that changed after five seconds, and one that did not change never', () => {
    const { schedule, begun, run, now } = started([monitor('a')], { endsAtOnce: false });
    run(INTERVAL_MS + 10);
    assert.equal(begun.length, 1);
    const failedAt = now();
    schedule.ended('a', 'failed', failedAt);
    run(5_000);
    assert.deepEqual(
      begun.slice(1).map(({ atMs }) => atMs - failedAt),
      [5_000],
    );
    schedule.ended('a', 'failed', now());
    const before = begun.length;
    const turn = ((phaseOf('a', INTERVAL_MS) - (AHEAD_MS + now())) % INTERVAL_MS) + INTERVAL_MS;
    run((turn % INTERVAL_MS) - 100);
    assert.equal(begun.length, before);
  });

  it('says nothing anew after a restart: a monitor that failed before is not confirmed when it fails again', () => {
    const { schedule, begun, run, now } = started([monitor('a', { lastOutcome: 'failed' })], { endsAtOnce: false });
    run(INTERVAL_MS + 10);
    schedule.ended('a', 'failed', now());
    run(5_500);
    assert.equal(begun.length, 1);
  });

  it('leaves out and counts what is overdue after a stall, and never bunches it', () => {
    const { schedule, begun, stall, run } = started(many(5_000));
    run(2 * INTERVAL_MS);
    const before = begun.length;
    stall(10 * 60_000);
    run(INTERVAL_MS);
    const after = begun.slice(before);
    assert.equal(schedule.skipped().overdue, 20 * 5_000, 'each turn that went by is counted');
    assert.equal(after.length, 5_000);
    assert.ok(after.every(({ lateMs }) => lateMs <= 20));
  });

  it('makes up for a short stall, a few checks at a time', () => {
    const { schedule, begun, stall, run } = started(many(5_000));
    run(2 * INTERVAL_MS);
    const before = begun.length;
    stall(2_000);
    run(INTERVAL_MS - 2_000);
    const after = begun.slice(before);
    const moments = Object.values(Object.groupBy(after, ({ atMs }) => String(atMs)));
    assert.ok(Math.max(...moments.map((checks) => checks?.length ?? 0)) <= 25);
    assert.equal(after.length, 5_000);
    assert.equal(schedule.skipped().overdue, 0);
  });

  it('runs at most so many checks of one host at once, and a slow host delays no other', () => {
    const slow = Array.from({ length: 100 }, (_, index) => monitor(`slow_${index}`, { host: 'slow.example' }));
    const { schedule, begun, run } = started([...slow, ...many(500)], { endsAtOnce: false });
    run(INTERVAL_MS);
    assert.equal(begun.filter(({ id }) => id.startsWith('slow_')).length, MOST_OF_HOST);
    const others = begun.filter(({ id }) => id.startsWith('mon_'));
    assert.equal(others.length, 500);
    assert.ok(others.every(({ lateMs }) => lateMs <= 20));
    assert.ok(schedule.skipped().crowded >= 60);
  });

  it('runs at most so many checks of one org at once, and delays no other org', () => {
    const hanging = Array.from({ length: 500 }, (_, index) => monitor(`slow_${index}`, { org: 'mallory' }));
    const { begun, run } = started([...hanging, ...many(100, { org: 'acme' })], { endsAtOnce: false });
    run(INTERVAL_MS);
    assert.equal(begun.filter(({ id }) => id.startsWith('slow_')).length, MOST_OF_ORG);
    const others = begun.filter(({ id }) => id.startsWith('mon_'));
    assert.equal(others.length, 100);
    assert.ok(others.every(({ lateMs }) => lateMs <= 20));
  });

  it('begins at most so many checks of one org in a second, also where all are due at one moment', () => {
    const ids = Array.from({ length: 2_000_000 }, (_, index) => `mon_${index}`);
    const together = ids.filter((id) => phaseOf(id, INTERVAL_MS) < 100).slice(0, 400);
    const { begun, run } = started([...together.map((id) => monitor(id, { org: 'mallory' }))]);
    run(2 * INTERVAL_MS);
    const seconds = Map.groupBy(begun, ({ atMs }) => Math.floor(atMs / 1_000));
    const most = Math.max(...[...seconds.values()].map((checks) => checks.length));
    assert.equal(together.length, 400);
    assert.ok(most <= 200, `${most} in one second`);
    assert.ok(begun.length >= 700, 'those that wait are checked as well');
  });

  it('runs at most so many checks of one address at once, whatever names lead there', () => {
    const { schedule, begun, run, now } = started(many(240, { org: 'mallory' }), { endsAtOnce: false });
    run(INTERVAL_MS);
    for (const { id } of begun) schedule.located(id, '192.0.2.1');
    for (const { id } of begun) schedule.ended(id, 'ok', now());
    begun.length = 0;
    run(INTERVAL_MS);
    assert.equal(begun.length, MOST_OF_ADDRESS);
    for (const { id } of begun) schedule.ended(id, 'ok', now());
    begun.length = 0;
    run(INTERVAL_MS);
    assert.equal(begun.length, MOST_OF_ADDRESS, 'and again as many once those have ended');
  });

  it('lets no org fill a host or an address for others, who are checked in time', () => {
    const slowMs = 10_000;
    const hanging = Array.from({ length: 500 }, (_, index) =>
      monitor(`slow_${index}`, { org: 'mallory', host: `${index % 10}.mallory.example` }),
    );
    const sameHost = monitor('at_host', { org: 'acme', host: '0.mallory.example' });
    const sameAddress = many(20, { org: 'acme' });
    const { schedule, begun, run, now } = started([...hanging, sameHost, ...sameAddress], { endsAtOnce: false });
    const ends: { readonly id: string; readonly atMs: number }[] = [];
    let seen = 0;
    while (now() < 5 * INTERVAL_MS) {
      run(50);
      for (const { id, atMs } of begun.slice(seen)) {
        schedule.located(id, '192.0.2.1');
        ends.push({ id, atMs: atMs + (id.startsWith('slow_') ? slowMs : 50) });
      }
      seen = begun.length;
      for (const { id } of ends.filter(({ atMs }) => atMs <= now())) schedule.ended(id, 'ok', now());
      ends.splice(0, ends.length, ...ends.filter(({ atMs }) => atMs > now()));
    }
    const checksOf = (id: string): number => begun.filter((check) => check.id === id).length;
    const fewest = Math.min(...[sameHost, ...sameAddress].map(({ id }) => checksOf(id)));
    assert.ok(fewest >= 4, `${fewest} checks in five intervals`);
  });

  it('does not check a monitor twice at once: a turn that comes while its check runs is counted', () => {
    const { schedule, begun, run } = started([monitor('a')], { endsAtOnce: false });
    run(3 * INTERVAL_MS + 10);
    assert.equal(begun.length, 1);
    assert.equal(schedule.skipped().overlapping, 2);
  });

  it('a jump of the database clock sets the turns anew: nothing is bunched, and no gap is longer than two intervals', () => {
    for (const jumpMs of [3_600_000, -3_600_000, 3_607_500, -12_345]) {
      const { schedule, begun, run, now } = started(many(1_000));
      run(2 * INTERVAL_MS);
      schedule.anchor(AHEAD_MS + jumpMs, now());
      run(3 * INTERVAL_MS);
      for (const checks of Map.groupBy(begun, ({ id }) => id).values()) {
        const gaps = checks.slice(1).map(({ atMs }, index) => atMs - (checks[index]?.atMs ?? 0));
        assert.ok(Math.max(...gaps) < 2 * INTERVAL_MS + 50);
      }
      const seconds = Object.values(Object.groupBy(begun, ({ atMs }) => String(Math.floor(atMs / 1_000))));
      assert.ok(Math.max(...seconds.map((checks) => checks?.length ?? 0)) < 4 * (1_000 / 30));
    }
  });

  it('keeps the turns while the clock is a little off', () => {
    const { schedule, begun, run, now } = started([monitor('a')]);
    run(2 * INTERVAL_MS);
    schedule.anchor(AHEAD_MS + 900, now());
    run(2 * INTERVAL_MS);
    const gaps = begun.slice(1).map(({ atMs }, index) => atMs - (begun[index]?.atMs ?? 0));
    assert.ok(gaps.every((gap) => Math.abs(gap - INTERVAL_MS) <= 20));
  });

  it('a removed monitor is checked no more, and one that comes back while its last check runs not twice at once', () => {
    const { schedule, begun, run, now } = started([monitor('a')], { endsAtOnce: false });
    run(INTERVAL_MS + 10);
    schedule.remove(['a']);
    run(2 * INTERVAL_MS);
    assert.equal(begun.length, 1);
    schedule.set([monitor('a')], now());
    run(INTERVAL_MS + 10);
    assert.equal(begun.length, 1);
    schedule.ended('a', 'ok', now());
    run(INTERVAL_MS + 10);
    assert.equal(begun.length, 2);
  });

  it('a changed interval counts from now, and a change of anything else keeps the turn', () => {
    const { schedule, begun, run, now } = started([monitor('a')]);
    run(INTERVAL_MS + 10);
    schedule.set([monitor('a', { host: 'elsewhere.example' })], now());
    run(INTERVAL_MS);
    assert.equal(begun.length, 2);
    schedule.set([monitor('a', { intervalMs: 5_000 })], now());
    run(INTERVAL_MS);
    assert.equal(begun.length, 8);
  });
});
