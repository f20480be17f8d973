import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Outcome } from '../../../domain/monitors/check-result.ts';
import { createCheckSchedule } from '../../../domain/monitors/check-schedule.ts';
import { createFaultGuard, type FaultGuard } from '../../../domain/monitors/fault-guard.ts';

const NO_ANSWER = { controls: 2, answering: 0 };
const ONE_ANSWERS = { controls: 2, answering: 1 };
const result = (outcome: Outcome, monitorId: string) => ({
  ...{ monitorId, outcome },
  problem: outcome === 'failed' ? ('timeout' as const) : null,
  message: null,
});
const judged = (guard: FaultGuard, outcome: Outcome, beganMs: number, nowMs = beganMs, id = 'mon_a', org = 'acme') =>
  guard.judge(result(outcome, id), { org, beganMs, nowMs }).outcome;

const CUT = { fromMs: 60_000, toMs: 660_000 };
const END_MS = 720_000;
const STEP_MS = 5;
const isCut = (ms: number): boolean => ms >= CUT.fromMs && ms < CUT.toMs;

/** Looks at the control targets as the activity does: one at a time, each known after a while. */
function lookingGuard(lookMs: number) {
  const guard = createFaultGuard();
  let look: { readonly beganMs: number; readonly endsMs: number } | null = null;
  return {
    guard,
    pass(now: number, hasFailures: boolean): void {
      if (look !== null && now >= look.endsMs) {
        guard.looked(isCut(look.beganMs) ? NO_ANSWER : ONE_ANSWERS, look.beganMs);
        look = null;
      }
      if (look === null && guard.wantsLook(now, hasFailures)) look = { beganMs: now, endsMs: now + lookMs };
    },
  };
}

/** Counts failures in a row: a result that is unknown is none, and ends no row. */
function countingFailures() {
  const inARow = new Map<string, number>();
  const counts = { worst: 0, unknown: 0 };
  const add = (id: string, outcome: Outcome): void => {
    if (outcome === 'unknown') counts.unknown += 1;
    else inARow.set(id, outcome === 'failed' ? (inARow.get(id) ?? 0) + 1 : 0);
    counts.worst = Math.max(counts.worst, inARow.get(id) ?? 0);
  };
  return { counts, add };
}

/** 12 minutes of 5,000 monitors at 30 s, by the schedule that the prober has. */
function liveThroughCut({ failsAfterMs, lookMs }: { readonly failsAfterMs: number; readonly lookMs: number }) {
  const { guard, pass } = lookingGuard(lookMs);
  const { counts, add } = countingFailures();
  const schedule = createCheckSchedule({ aheadMs: 0, nowMs: 0 });
  const monitors = Array.from({ length: 5_000 }, (_, index) => `mon_${index}`);
  schedule.set(
    monitors.map((id) => ({ id, intervalMs: 30_000, host: id, org: null, lastOutcome: 'ok' as const })),
    0,
  );
  const running = Array.from({ length: END_MS / STEP_MS }, () => [] as { id: string; beganMs: number }[]);
  for (let now = 0; now < END_MS; now += STEP_MS) {
    const ended = running[now / STEP_MS] ?? [];
    pass(
      now,
      ended.some(({ beganMs }) => isCut(beganMs)),
    );
    for (const { id, beganMs } of ended) {
      const outcome = isCut(beganMs) ? 'failed' : 'ok';
      schedule.ended(id, outcome, now);
      add(id, judged(guard, outcome, beganMs, now, id));
    }
    for (const { id } of schedule.take(now).start) {
      const endsMs = now + (isCut(now) ? failsAfterMs : 20);
      running[Math.ceil(endsMs / STEP_MS)]?.push({ id, beganMs: now });
    }
  }
  return { ...counts, faultSinceMs: guard.faultSinceMs() };
}

describe("the guard against the prober's own faults", () => {
  it('failures while no control target answers are its own, and good results stay what they are', () => {
    const guard = createFaultGuard();
    assert.equal(judged(guard, 'failed', 1_000), 'failed');
    guard.looked(NO_ANSWER, 1_010);
    assert.equal(judged(guard, 'failed', 6_000), 'unknown');
    assert.equal(judged(guard, 'failed', 6_005, 6_005, 'mon_b'), 'unknown');
    assert.equal(judged(guard, 'ok', 6_010, 6_010, 'mon_c'), 'ok');
    assert.equal(guard.faultSinceMs(), 1_010);
  });

  it('failures while a control target answers are real, however many', () => {
    const guard = createFaultGuard();
    guard.looked(ONE_ANSWERS, 0);
    for (let at = 0; at < 5_000; at += 1) assert.equal(judged(guard, 'failed', at), 'failed');
    assert.equal(guard.faultSinceMs(), null);
  });

  it('without control targets every failure is real', () => {
    const guard = createFaultGuard();
    guard.looked({ controls: 0, answering: 0 }, 0);
    assert.equal(judged(guard, 'failed', 1), 'failed');
  });

  it('control targets that are away by themselves make no failure unknown: half of the checks are answered', () => {
    const guard = createFaultGuard();
    guard.looked(NO_ANSWER, 0);
    for (let at = 0; at < 100; at += 1) judged(guard, 'ok', at, at, `mon_${at}`);
    for (let at = 100; at < 200; at += 1) assert.equal(judged(guard, 'failed', at, at, `mon_${at}`), 'failed');
    assert.equal(guard.faultSinceMs(), null);
  });

  it('one monitor that fails first holds up no outage of it for longer than others need to be well', () => {
    const guard = createFaultGuard();
    guard.looked(NO_ANSWER, 0);
    assert.equal(judged(guard, 'failed', 1, 1, 'mon_bad'), 'unknown');
    for (let at = 2; at < 20; at += 1) judged(guard, 'ok', at, at, `mon_${at}`);
    assert.equal(guard.faultSinceMs(), null);
    // However often it is checked: it is one of many.
    for (let at = 1_000; at < 2_000; at += 10) assert.equal(judged(guard, 'failed', at, at, 'mon_bad'), 'failed');
  });

  it('one org whose hundreds of monitors fail makes no outage of another org unknown', () => {
    const guard = createFaultGuard();
    guard.looked(NO_ANSWER, 0);
    const at = (org: string, outcome: Outcome, id: string) => judged(guard, outcome, 1, 1, id, org);
    for (const org of ['one', 'two', 'three']) at(org, 'ok', `mon_${org}`);
    for (let index = 0; index < 500; index += 1) assert.equal(at('mallory', 'failed', `mon_${index}`), 'failed');
    assert.equal(at('three', 'failed', 'mon_three'), 'failed');
    assert.equal(at('two', 'failed', 'mon_two'), 'unknown', 'three of four orgs: it is the prober');
    assert.equal(guard.faultSinceMs(), 0);
  });

  it('good results of long ago do not hide a cut of now', () => {
    const guard = createFaultGuard();
    guard.looked(NO_ANSWER, 0);
    const of = (at: number) => `mon_${(at / 100) % 300}`;
    for (let at = 0; at < 100_000; at += 100) judged(guard, 'ok', at, at, of(at));
    let unknown = 0;
    for (let at = 100_000; at < 200_000; at += 100) {
      if (judged(guard, 'failed', at, at, of(at)) === 'unknown') unknown += 1;
    }
    assert.ok(unknown > 800);
  });

  for (const [how, failsAfterMs, lookMs] of [
    ['whose connections are refused at once', 1, 1],
    ['that swallows what is sent', 10_000, 2_000],
  ] as const) {
    it(`a cut of ten minutes ${how} makes none of 5,000 monitors fail twice in a row`, () => {
      const { worst, unknown, faultSinceMs } = liveThroughCut({ failsAfterMs, lookMs });
      assert.ok(unknown > 50_000, `${unknown} results are unknown`);
      assert.equal(worst, 1);
      assert.equal(faultSinceMs, null);
    });
  }

  it('a check that began during the fault says nothing when it ends after it', () => {
    const guard = createFaultGuard();
    guard.looked(NO_ANSWER, 0);
    assert.equal(judged(guard, 'failed', 100), 'unknown');
    guard.looked(ONE_ANSWERS, 10_000);
    assert.equal(guard.faultSinceMs(), null);
    assert.equal(judged(guard, 'failed', 9_000, 11_000), 'unknown');
    assert.equal(judged(guard, 'failed', 10_500, 11_500), 'failed');
  });

  it('asks for a look at the start, with failures, and every two seconds until a target answers', () => {
    const guard = createFaultGuard();
    assert.equal(guard.wantsLook(0, false), true);
    guard.looked(ONE_ANSWERS, -5_000);
    assert.equal(guard.wantsLook(0, false), false);
    assert.equal(guard.wantsLook(0, true), true);
    guard.looked(NO_ANSWER, 0);
    assert.equal(guard.wantsLook(1_999, true), false);
    assert.equal(guard.wantsLook(2_000, false), true);
    guard.looked(ONE_ANSWERS, 2_000);
    assert.equal(guard.wantsLook(9_000, false), false);
  });
});
