import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RollUp } from '../../../domain/monitors/history.ts';
import { ROLL_UPS } from '../../../domain/monitors/history.ts';
import {
  type ActiveBurn,
  budgetOf,
  burnEventOf,
  burnRate,
  burnsNow,
  type Objective,
  type RecentRollUps,
} from '../../../domain/monitors/objective.ts';
import { objectiveSchema } from '../../../domain/monitors/schema.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = new Date('2026-11-20T12:00:00Z');
const THREE_NINES: Objective = { targetPercent: 99.9, windowDays: 30 };

/** Roll-ups up to now; down between two times, each before now. */
function recent(down: readonly (readonly [from: number, to: number])[], knownMs = 3 * DAY): RecentRollUps {
  const of = (length: '5m' | '1h', ms: number): RollUp[] => {
    const step = ROLL_UPS[length].lengthMs;
    return Array.from({ length: Math.min(ms, knownMs) / step }, (_, index) => {
      const startsAt = NOW.getTime() - (index + 1) * step;
      const downMs = down
        .map(([from, to]) => [NOW.getTime() - from, NOW.getTime() - to] as const)
        .reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, startsAt + step) - Math.max(from, startsAt)), 0);
      const time = { upMs: step - downMs, downMs, degradedMs: 0, maintenanceMs: 0, checks: 1, failed: 0, latency: [] };
      return { monitorId: 'mon_1', length, startsAt: new Date(startsAt), ...time };
    }).toReversed();
  };
  return { slices: of('5m', 6 * HOUR), hours: of('1h', 3 * DAY) };
}

const names = (burns: readonly ActiveBurn[]): readonly string[] => burns.map(({ alert }) => alert);
const active = (down: Parameters<typeof recent>[0], objective = THREE_NINES) =>
  names(burnsNow(objective, recent(down), [], NOW));

describe('the error budget of an objective', () => {
  it('is the time that the window may be down, without maintenance', () => {
    const left = budgetOf(THREE_NINES, { downMs: 10 * MINUTE, maintenanceMs: 0 });
    assert.deepEqual([left.allowedMs, left.usedMs], [43.2 * MINUTE, 10 * MINUTE]);
    assert.ok(Math.abs(left.left - (1 - 10 / 43.2)) < 1e-9);
    assert.equal(budgetOf(THREE_NINES, { downMs: 0, maintenanceMs: 15 * DAY }).allowedMs, 21.6 * MINUTE);
  });

  it('is missed below 0, and of a window in maintenance alone it is whole', () => {
    assert.ok(budgetOf(THREE_NINES, { downMs: HOUR, maintenanceMs: 0 }).left < 0);
    assert.equal(budgetOf(THREE_NINES, { downMs: 0, maintenanceMs: 30 * DAY }).left, 1);
  });
});

describe('burn rates', () => {
  it('say how many times faster than allowed the budget goes', () => {
    const rate = burnRate(THREE_NINES, recent([[30 * MINUTE, 24 * MINUTE]]), HOUR, NOW);
    assert.ok(rate !== null && Math.abs(rate - 6 / 60 / 0.001) < 1e-6, String(rate));
  });

  it('are unknown where nothing is known', () => {
    assert.equal(burnRate(THREE_NINES, { slices: [], hours: [] }, HOUR, NOW), null);
    assert.deepEqual(burnsNow(THREE_NINES, { slices: [], hours: [] }, [], NOW), []);
  });
});

describe('alerts on an error budget', () => {
  for (const [what, down, expected] of [
    ['nothing was down', [], []],
    ['it is down for two minutes now, of which an hour may have 0.86', [[2 * MINUTE, 0]], ['fast']],
    ['it was down for ten minutes, ten minutes ago', [[20 * MINUTE, 10 * MINUTE]], ['medium', 'slow']],
    ['it was down for ten minutes, an hour ago', [[70 * MINUTE, 60 * MINUTE]], ['slow']],
    ['it was down for a minute, twelve hours ago', [[12 * HOUR, 12 * HOUR - MINUTE]], []],
    ['it is down since half a day', [[12 * HOUR, 0]], ['fast', 'medium', 'slow']],
    ['it is down for ten seconds in each half hour', halfHours(10_000), ['slow']],
  ] as const)
    it(`${expected.length === 0 ? 'are silent' : expected.join(' and ')} when ${what}`, () => {
      assert.deepEqual(active(down), expected);
    });

  it('ask for more where an objective allows more', () => {
    assert.deepEqual(active([[2 * MINUTE, 0]], { targetPercent: 95, windowDays: 30 }), []);
    // A week has less budget than a month: the same outage takes more of it.
    assert.deepEqual(active([[20_000, 0]], { targetPercent: 99.9, windowDays: 7 }), ['fast']);
    assert.deepEqual(active([[20_000, 0]], { targetPercent: 99.9, windowDays: 30 }), []);
  });

  it('go on until the long period is calm as well, with the time that they began', () => {
    const since = new Date(NOW.getTime() - HOUR / 2);
    const before: readonly ActiveBurn[] = [{ alert: 'fast', since }];
    assert.deepEqual(active([[30 * MINUTE, 28 * MINUTE]]), []);
    assert.deepEqual(burnsNow(THREE_NINES, recent([[30 * MINUTE, 28 * MINUTE]]), before, NOW), before);
    assert.deepEqual(burnsNow(THREE_NINES, recent([[3 * HOUR, 3 * HOUR - 2 * MINUTE]]), before, NOW), []);
  });

  it('go on where nothing is known of the long period, and end by what is known', () => {
    const before: readonly ActiveBurn[] = [{ alert: 'fast', since: new Date(NOW.getTime() - 2 * HOUR) }];
    const { slices, hours } = recent([[3 * HOUR, 2 * HOUR]]);
    const unknown = slices.filter(({ startsAt }) => startsAt.getTime() < NOW.getTime() - 2 * HOUR);
    assert.deepEqual(burnsNow(THREE_NINES, { slices: unknown, hours: [] }, before, NOW), before);
    assert.deepEqual(names(burnsNow(THREE_NINES, { slices, hours }, before, NOW)), ['slow']);
  });

  it('tell what began, and once that all is over', () => {
    const [fast, slow]: ActiveBurn[] = [
      { alert: 'fast', since: NOW },
      { alert: 'slow', since: NOW },
    ] as const;
    const [one, both] = [[slow], [fast, slow]].map((each) => each.filter((burn) => burn !== undefined));
    assert.deepEqual(
      [
        burnEventOf([], one ?? []),
        burnEventOf(one ?? [], both ?? []),
        burnEventOf(both ?? [], one ?? []),
        burnEventOf(one ?? [], []),
        burnEventOf([], []),
      ],
      ['burning', 'burning', null, 'steady', null],
    );
  });
});

/** So long down in each half hour of three days, until now. */
function halfHours(ms: number): readonly (readonly [number, number])[] {
  return Array.from(
    { length: 144 },
    (_, index) => [(index + 1) * 30 * MINUTE, (index + 1) * 30 * MINUTE - ms] as const,
  );
}

describe('an objective', () => {
  it('has three digits after the point at most, and a window of the table', () => {
    const is = (objective: object): boolean => objectiveSchema.safeParse(objective).success;
    assert.deepEqual(
      [{ targetPercent: 99.95 }, { targetPercent: 99.999, windowDays: 7 }, { targetPercent: 50 }].map(is),
      [true, true, true],
    );
    assert.deepEqual(
      [{ targetPercent: 100 }, { targetPercent: 99.9999 }, { targetPercent: 99.9, windowDays: 31 }, {}].map(is),
      [false, false, false, false],
    );
  });
});
