import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addDays,
  dayNumber,
  dayOf,
  daysBetween,
  endOfDay,
  isDay,
  startOfDay,
} from '../../../domain/audit-ledger/days.ts';

describe('days of the ledger', () => {
  it('a day has 24 hours when clocks change, at the ends of months and in leap years', () => {
    for (const day of [
      '2026-03-08',
      '2026-03-29',
      '2026-10-25',
      '2026-11-01',
      '2024-02-29',
      '2026-02-28',
      '2026-12-31',
    ]) {
      assert.equal(endOfDay(day).getTime() - startOfDay(day).getTime(), 86_400_000, day);
      assert.equal(dayOf(startOfDay(day)), day);
      assert.equal(dayOf(endOfDay(day).getTime() - 1), day);
      assert.equal(dayOf(endOfDay(day)), addDays(day, 1));
    }
  });

  it('months, leap years and years end where they should', () => {
    assert.equal(addDays('2026-02-28', 1), '2026-03-01');
    assert.equal(addDays('2024-02-28', 1), '2024-02-29');
    assert.equal(addDays('2024-02-29', 1), '2024-03-01');
    assert.equal(addDays('2000-02-28', 1), '2000-02-29');
    assert.equal(addDays('2026-12-31', 1), '2027-01-01');
    assert.equal(addDays('2027-01-01', -1), '2026-12-31');
    assert.deepEqual(daysBetween('2024-02-28', '2024-03-01'), ['2024-02-28', '2024-02-29', '2024-03-01']);
    assert.deepEqual(daysBetween('2026-01-02', '2026-01-01'), []);
  });

  it('the number of a day is the same whatever the zone of the machine', () => {
    assert.equal(dayNumber('1970-01-01'), 0);
    assert.equal(dayNumber('2026-11-21'), 20_778);
    assert.equal(dayNumber('2024-02-29') + 1, dayNumber('2024-03-01'));
  });

  it('what no calendar has is no day', () => {
    for (const text of [
      '2026-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-1-1',
      '2026-11-31',
      '',
      'today',
      '2026-11-21T00:00:00Z',
    ]) {
      assert.equal(isDay(text), false, text);
    }
    assert.ok(isDay('2024-02-29') && isDay('2026-11-21'));
  });
});
