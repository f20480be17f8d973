import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCron } from '../../../domain/monitors/cron.ts';
import {
  cutShort,
  maintenanceAt,
  maintenanceWithin,
  nextOccurrence,
  type RecurringMaintenance,
  withoutRecurring,
  withRecurring,
} from '../../../domain/monitors/recurring-maintenance.ts';
import { isTimeZone } from '../../../domain/wall-clock.ts';

const rule = (cron: string, timeZone = 'UTC', changes: Partial<RecurringMaintenance> = {}): RecurringMaintenance => ({
  ...{ id: 'mnt_1', cron, timeZone, minutes: 60, note: null, since: new Date('2026-01-01T00:00:00Z') },
  ...{ until: null, cut: null, ...changes },
});
const within = (recurring: RecurringMaintenance, from: string, to: string) =>
  maintenanceWithin({ maintenance: [], recurring: [recurring] }, new Date(from), new Date(to)).map(({ from: at }) =>
    at.toISOString(),
  );
const runs = (recurring: RecurringMaintenance, at: string) =>
  maintenanceAt({ maintenance: [], recurring: [recurring] }, new Date(at)) !== null;

describe('recurring maintenance', () => {
  for (const [cron, expected] of [
    [
      '30 3 * * sun',
      ['2026-11-01T03:30', '2026-11-08T03:30', '2026-11-15T03:30', '2026-11-22T03:30', '2026-11-29T03:30'],
    ],
    [
      '30 3 * * 7',
      ['2026-11-01T03:30', '2026-11-08T03:30', '2026-11-15T03:30', '2026-11-22T03:30', '2026-11-29T03:30'],
    ],
    ['0 22 1,15 * *', ['2026-11-01T22:00', '2026-11-15T22:00']],
    ['0 0 */10 * *', ['2026-11-01T00:00', '2026-11-11T00:00', '2026-11-21T00:00']],
    ['0 0 25/3 nov *', ['2026-11-25T00:00', '2026-11-28T00:00']],
    ['0 0 * 12 *', []],
    // As with cron, the 13th and each Friday.
    ['0 0 13 * fri', ['2026-11-06T00:00', '2026-11-13T00:00', '2026-11-20T00:00', '2026-11-27T00:00']],
    ['0 0 2-3 * *', ['2026-11-02T00:00', '2026-11-03T00:00']],
  ] as const) {
    it(`${cron} comes when cron would`, () => {
      const found = within(rule(cron), '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z');
      assert.deepEqual(
        found.map((at) => at.slice(0, 16)),
        expected,
      );
    });
  }

  it('is by the clocks of its zone: in summer and in winter, and in the nights in which they change', () => {
    const nightly = rule('30 2 * * *', 'Europe/Berlin');
    assert.deepEqual(within(nightly, '2026-03-28T00:00:00Z', '2026-03-31T00:00:00Z'), [
      '2026-03-28T01:30:00.000Z',
      // There is no half past two: it is as much later as the clock leaves out.
      '2026-03-29T01:30:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    assert.deepEqual(within(nightly, '2026-10-24T00:00:00Z', '2026-10-27T00:00:00Z'), [
      '2026-10-24T00:30:00.000Z',
      // It is half past two twice: once is enough.
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
    for (const [zone, expected] of [
      ['Pacific/Kiritimati', '2026-11-01T10:00:00.000Z'],
      ['Pacific/Pago_Pago', '2026-11-01T11:00:00.000Z'],
      ['Asia/Kathmandu', '2026-11-01T18:15:00.000Z'],
    ] as const) {
      assert.ok(
        within(rule('0 0 * * *', zone), '2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z').includes(expected),
        zone,
      );
    }
  });

  it('runs from its beginning to its end, also over midnight', () => {
    const late = rule('30 23 * * sat', 'UTC', { minutes: 120 });
    assert.deepEqual(
      ['2026-11-07T23:29:59.999Z', '2026-11-07T23:30:00Z', '2026-11-08T01:29:59.999Z', '2026-11-08T01:30:00Z'].map(
        (at) => runs(late, at),
      ),
      [false, true, true, false],
    );
    assert.equal(nextOccurrence(late, new Date('2026-11-08T00:00:00Z'))?.toISOString(), '2026-11-07T23:30:00.000Z');
    assert.equal(nextOccurrence(late, new Date('2026-11-08T01:30:00Z'))?.toISOString(), '2026-11-14T23:30:00.000Z');
  });

  it('makes nothing maintenance afterwards: neither what began before it was made, nor what it was when it ends', () => {
    const made = rule('0 3 * * *', 'UTC', { since: new Date('2026-11-02T03:30:00Z') });
    assert.deepEqual(within(made, '2026-11-01T00:00:00Z', '2026-11-04T00:00:00Z'), ['2026-11-03T03:00:00.000Z']);
    const [ended] = withoutRecurring([made], 'mnt_1', new Date('2026-11-03T03:30:00Z'));
    assert.ok(ended !== undefined);
    assert.deepEqual([runs(ended, '2026-11-03T03:29:00Z'), runs(ended, '2026-11-03T03:30:00Z')], [true, false]);
    assert.equal(nextOccurrence(ended, new Date('2026-11-03T03:30:00Z')), null);
    assert.deepEqual(withoutRecurring([ended], 'mnt_1', new Date('2026-12-01T00:00:00Z')), [ended]);
  });

  it('is ended early once, and comes again', () => {
    const at = new Date('2026-11-03T03:20:00Z');
    const [cut, other] = cutShort([rule('0 3 * * *'), rule('0 9 * * *')], at);
    assert.ok(cut !== undefined);
    assert.deepEqual(other, rule('0 9 * * *'));
    assert.deepEqual(
      ['2026-11-03T03:19:00Z', '2026-11-03T03:20:00Z', '2026-11-04T03:20:00Z'].map((when) => runs(cut, when)),
      [true, false, true],
    );
  });

  it('comes within a year, and a monitor has ten at most; those that ended days ago are forgotten', () => {
    assert.throws(() => withRecurring([], rule('0 0 30 2 *')), { code: 'VALIDATION_FAILED' });
    const ten = Array.from({ length: 10 }, (_, index) => rule('0 3 * * *', 'UTC', { id: `mnt_${index}` }));
    assert.throws(() => withRecurring(ten, rule('0 4 * * *')), { code: 'CONFLICT' });
    const ended = ten.map((each) => ({ ...each, until: new Date('2026-01-01T00:00:00Z') }));
    const added = rule('0 4 * * *', 'UTC', { since: new Date('2026-01-03T00:00:00Z') });
    assert.equal(withRecurring(ended, added).length, 11);
    const later = { ...added, since: new Date('2026-01-04T00:00:00Z') };
    assert.deepEqual(withRecurring(ended, later), [later]);
  });

  it('is refused where it is no line of cron with one time of day, or no zone', () => {
    for (const cron of [
      ...['', '* 3 * * *', '0 * * * *', '0,30 3 * * *', '60 3 * * *', '0 24 * * *', '0 3 0 * *', '0 3 32 * *'],
      ...[
        '0 3 * 13 *',
        '0 3 * * 8',
        '0 3 * * someday',
        '0 3 5-2 * *',
        '0 3 */0 * *',
        '0 3 * *',
        '0 3 * * * *',
        '@daily',
      ],
    ]) {
      assert.equal(parseCron(cron), null, cron);
    }
    for (const zone of ['Mars/Olympus', '+25:00', '', 'europe berlin']) assert.equal(isTimeZone(zone), false, zone);
    for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York']) assert.equal(isTimeZone(zone), true, zone);
  });
});
