import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lastAttempt, nextAttempt } from '../../../domain/audit-ledger/anchor-policy.ts';

/** Moments of every attempt of an anchoring that begins then and always fails. */
function attempts(start: string): string[] {
  const startedAt = Date.parse(start);
  const moments: string[] = [start];
  for (let now = startedAt + 1_500; ; ) {
    const next = nextAttempt(startedAt, now);
    if (next === null) return moments;
    moments.push(new Date(next).toISOString().slice(0, 16));
    now = next + 90_000;
  }
}

describe('when the anchoring of a day is tried', () => {
  it('at 00:10 and every hour until 03:10, also when clocks change, at the ends of months and in leap years', () => {
    for (const day of [
      '2026-11-21',
      '2026-03-29',
      '2026-10-25',
      '2026-03-08',
      '2024-02-29',
      '2024-03-01',
      '2027-01-01',
    ]) {
      const expected = ['00:10:00.123Z', '01:10', '02:10', '03:10'].map((time) => `${day}T${time}`);
      assert.deepEqual(attempts(`${day}T00:10:00.123Z`), expected);
    }
  });

  it('a night that begins late has what is left of it', () => {
    assert.deepEqual(attempts('2026-11-21T02:55:00.000Z'), ['2026-11-21T02:55:00.000Z', '2026-11-21T03:10']);
    assert.deepEqual(attempts('2026-11-21T03:10:00.000Z'), ['2026-11-21T03:10:00.000Z']);
  });

  it('started by hand it is tried for three hours, over midnight as well', () => {
    const hours = ['15:10', '16:10', '17:10'].map((time) => `2026-11-21T${time}`);
    assert.deepEqual(attempts('2026-11-21T14:23:00.000Z'), ['2026-11-21T14:23:00.000Z', ...hours]);
    const night = ['2026-12-31T23:10', '2027-01-01T00:10', '2027-01-01T01:10'];
    assert.deepEqual(attempts('2026-12-31T22:59:00.000Z'), ['2026-12-31T22:59:00.000Z', ...night]);
  });

  it('an attempt that takes longer than an hour costs the ones it overlaps, not those after', () => {
    const startedAt = Date.parse('2026-11-21T00:10:00Z');
    const next = nextAttempt(startedAt, Date.parse('2026-11-21T01:25:00Z'));
    assert.equal(next, Date.parse('2026-11-21T02:10:00Z'));
    assert.equal(lastAttempt(startedAt), Date.parse('2026-11-21T03:10:00Z'));
  });
});
