import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitOf, slotOf } from '../../../domain/properties/quota.ts';
import { daysToPull, isFinalDay } from '../../../domain/search-pulls/days-to-pull.ts';
import { isTruncated, MOST_ROWS_A_DAY } from '../../../domain/search-pulls/dimensions.ts';
import { addDays, countDays, daysOf, isDay, keptRange, pacificDay } from '../../../domain/search-pulls/pacific-day.ts';
import {
  countFailed,
  countPulled,
  EMPTY_SUMMARY,
  endOfPull,
  pullToResume,
  runningPull,
} from '../../../domain/search-pulls/pull-run.ts';
import { scopesOf, VENDOR_QUOTAS } from '../../../domain/search-pulls/quota.ts';
import { addNumbers, clickThroughRate, NO_NUMBERS } from '../../../domain/search-pulls/search-numbers.ts';
import { priorRange, requireRange, windowRange } from '../../../domain/search-pulls/windows.ts';

describe('days of the search engine', () => {
  it('begin at midnight in Pacific time, in summer and in winter', () => {
    assert.equal(pacificDay(new Date('2026-07-01T06:59:59Z')), '2026-06-30');
    assert.equal(pacificDay(new Date('2026-07-01T07:00:00Z')), '2026-07-01');
    assert.equal(pacificDay(new Date('2026-01-01T07:59:59Z')), '2025-12-31');
    assert.equal(pacificDay(new Date('2026-01-01T08:00:00Z')), '2026-01-01');
  });

  it('are counted across changes of the clock and leap days', () => {
    assert.deepEqual(daysOf({ from: '2028-02-28', to: '2028-03-01' }), ['2028-02-28', '2028-02-29', '2028-03-01']);
    assert.equal(addDays('2026-03-09', -1), '2026-03-08');
    assert.equal(countDays({ from: '2026-03-01', to: '2026-03-31' }), 31);
    assert.deepEqual(daysOf({ from: '2026-03-02', to: '2026-03-01' }), []);
  });

  it('are kept for sixteen months, to the last day of a shorter month', () => {
    assert.deepEqual(keptRange('2026-06-17'), { from: '2025-02-17', to: '2026-06-17' });
    assert.deepEqual(keptRange('2026-06-30'), { from: '2025-02-28', to: '2026-06-30' });
    assert.deepEqual(keptRange('2026-01-31'), { from: '2024-09-30', to: '2026-01-31' });
  });

  it('are days of the calendar', () => {
    assert.deepEqual(['2026-02-28', '2026-02-29', '2026-13-01', '2026-2-1', 'today'].map(isDay), [
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('which days are pulled', () => {
  const range = { from: '2026-06-01', to: '2026-06-04' };
  const since = new Date('2026-06-04T12:00:00Z');
  const before = new Date('2026-06-04T11:00:00Z');

  it('are those that never were, and those that are not final and were not pulled since, the newest first', () => {
    const pulled = [
      { day: '2026-06-01', isFinal: true, pulledAt: before },
      { day: '2026-06-02', isFinal: false, pulledAt: before },
      { day: '2026-06-03', isFinal: false, pulledAt: since },
    ];
    assert.deepEqual(daysToPull(range, pulled, since), ['2026-06-04', '2026-06-02']);
    assert.deepEqual(daysToPull(range, [], since), ['2026-06-04', '2026-06-03', '2026-06-02', '2026-06-01']);
  });

  it('are final before the first day that the search engine still counts, or else once they are old enough', () => {
    assert.equal(isFinalDay('2026-06-14', '2026-06-15', '2026-06-17'), true);
    assert.equal(isFinalDay('2026-06-15', '2026-06-15', '2026-06-17'), false);
    assert.equal(isFinalDay('2026-06-12', null, '2026-06-17'), true);
    assert.equal(isFinalDay('2026-06-13', null, '2026-06-17'), false);
  });

  it('have an end that is shown where the search engine shows no more rows', () => {
    assert.deepEqual([isTruncated(MOST_ROWS_A_DAY - 1), isTruncated(MOST_ROWS_A_DAY)], [false, true]);
  });
});

describe('windows and ranges', () => {
  it('end with the last final day, and have as many days before', () => {
    const window = windowRange(7, '2026-03-03');
    assert.deepEqual(window, { from: '2026-02-25', to: '2026-03-03' });
    assert.deepEqual(priorRange(window), { from: '2026-02-18', to: '2026-02-24' });
    assert.deepEqual(priorRange({ from: '2026-03-01', to: '2026-03-01' }), { from: '2026-02-28', to: '2026-02-28' });
  });

  it('are refused where they are none', () => {
    assert.deepEqual(requireRange({ from: '2026-01-01', to: '2026-01-01' }), { from: '2026-01-01', to: '2026-01-01' });
    for (const [from, to] of [
      ['2026-02-30', '2026-03-01'],
      ['2026-03-02', '2026-03-01'],
      ['2025-01-01', '2026-06-01'],
      ['0000-01-01', '0000-01-02'],
      ['1999-12-31', '2000-01-01'],
    ] as const) {
      assert.throws(() => requireRange({ from, to }), { code: 'VALIDATION_FAILED' });
    }
  });
});

describe('numbers', () => {
  it('are added with the mean position of all impressions', () => {
    const a = { clicks: 1, impressions: 10, position: 2 };
    const b = { clicks: 2, impressions: 30, position: 6 };
    assert.deepEqual(addNumbers(a, b), { clicks: 3, impressions: 40, position: 5 });
    assert.deepEqual(addNumbers(NO_NUMBERS, NO_NUMBERS), NO_NUMBERS);
    assert.deepEqual([clickThroughRate(a), clickThroughRate(NO_NUMBERS)], [0.1, 0]);
  });
});

describe('a pull', () => {
  const at = new Date('2026-06-17T12:00:00Z');
  const run = runningPull({ id: 'spr_1', trigger: 'cron', requestedBy: 'schedule', startedAt: at, since: at });
  const problem = { code: 'UNAVAILABLE', message: 'away' };

  it('is gone on with only when nothing has the lease', () => {
    assert.equal(pullToResume(run, undefined), run);
    assert.equal(pullToResume(run, 'spr_1'), null);
    assert.equal(pullToResume(run, 'spr_2'), null);
    assert.equal(pullToResume(run, null), null);
    assert.equal(pullToResume(null, undefined), null);
  });

  it('has failed when no property could be pulled at all, and is done otherwise', () => {
    const failed = countFailed({ ...EMPTY_SUMMARY, properties: 1 }, 'a.com', problem);
    assert.equal(endOfPull(EMPTY_SUMMARY).status, 'done');
    assert.deepEqual(endOfPull(failed).error?.code, 'UNAVAILABLE');
    const pulled = countPulled(failed, { days: 3, rows: 20, truncatedDays: 1 });
    assert.deepEqual(endOfPull(pulled), { status: 'done', error: null });
    assert.deepEqual([pulled.days, pulled.rows, pulled.truncatedDays, pulled.failed], [3, 20, 1, 1]);
  });

  it('names the first hundred properties that failed, and counts all', () => {
    let summary = EMPTY_SUMMARY;
    for (let index = 0; index < 150; index += 1) summary = countFailed(summary, `d${index}.com`, problem);
    assert.deepEqual([summary.failed, summary.failures.length, summary.failures[0]?.domain], [150, 100, 'd0.com']);
  });
});

describe('quotas', () => {
  it('hold in every minute, wherever it begins', () => {
    const scopes = scopesOf({ property: 'sc-domain:a.com', account: 'a' }, VENDOR_QUOTAS);
    for (const [index, perMinute] of [1_200, 1_200, 40_000].entries()) {
      const scope = scopes[index] ?? assert.fail();
      const { slotMs } = scope;
      const limit = limitOf(scope, slotMs);
      // A minute that begins within a slot touches one more than fit into it.
      assert.ok((60_000 / slotMs + 1) * limit <= perMinute);
      assert.ok((60_000 / slotMs) * limit > 0.9 * perMinute);
    }
    const day = scopes[3] ?? assert.fail();
    assert.equal(2 * limitOf(day, day.slotMs), 30_000_000);
    assert.equal(new Set(scopes.map(({ key }) => key)).size, 4);
    assert.deepEqual(slotOf(new Date('2026-06-17T12:00:07.5Z'), 5_000), new Date('2026-06-17T12:00:05Z'));
  });
});
