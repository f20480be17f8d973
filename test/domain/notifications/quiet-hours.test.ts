import assert from 'node:assert/strict';
import { it } from 'node:test';
import { waitsInQuiet } from '../../../domain/notifications/notification.ts';
import { type QuietHours, quietUntil } from '../../../domain/notifications/quiet-hours.ts';
import { quietHoursSchema } from '../../../domain/notifications/schema.ts';

const NIGHT: QuietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin', weekdays: null, passes: 'critical' };
const until = (at: string, changes: Partial<QuietHours> = {}): string | null =>
  quietUntil({ ...NIGHT, ...changes }, new Date(at))?.toISOString() ?? null;

it('they begin and end at their minute, through midnight', () => {
  assert.equal(until('2026-11-10T20:59:59.999Z'), null);
  assert.equal(until('2026-11-10T21:00:00Z'), '2026-11-11T06:00:00.000Z');
  assert.equal(until('2026-11-11T05:59:59.999Z'), '2026-11-11T06:00:00.000Z');
  assert.equal(until('2026-11-11T06:00:00Z'), null);
});

it('they are by the clocks of the zone, also in the nights in which these are changed', () => {
  // In Berlin the clocks go back at 01:00 UTC on 25 October 2026, and forward on 28 March 2027.
  assert.equal(until('2026-10-24T20:00:00Z'), '2026-10-25T06:00:00.000Z');
  assert.equal(until('2027-03-27T21:00:00Z'), '2027-03-28T05:00:00.000Z');
  // 02:30 comes twice: they end at the first one, and never once more.
  assert.equal(until('2026-10-24T23:00:00Z', { to: '02:30' }), '2026-10-25T00:30:00.000Z');
  assert.equal(until('2026-10-25T01:00:00Z', { to: '02:30' }), null);
  // 02:30 does not come: it is as much later as it leaves out, at 03:30.
  assert.equal(until('2027-03-28T00:59:00Z', { to: '02:30' }), '2027-03-28T01:30:00.000Z');
  // Hours that do not come at all are no quiet hours.
  assert.equal(until('2027-03-28T01:00:00Z', { from: '02:00', to: '03:00' }), null);
  assert.equal(until('2026-11-10T10:30:00Z', { timeZone: 'Pacific/Kiritimati' }), '2026-11-10T17:00:00.000Z');
});

it('weekdays are those on which they begin, and whole days follow each other to the end of the last', () => {
  const weekdays = ['fri'] as const;
  assert.equal(until('2026-11-13T22:00:00Z', { weekdays }), '2026-11-14T06:00:00.000Z', 'a Friday');
  assert.equal(until('2026-11-14T05:00:00Z', { weekdays }), '2026-11-14T06:00:00.000Z', 'until Saturday');
  assert.equal(until('2026-11-14T22:00:00Z', { weekdays }), null);
  const weekend = { from: '00:00', to: '24:00', timeZone: 'UTC', weekdays: ['sat', 'sun'] } as const;
  assert.equal(until('2026-11-14T10:00:00Z', weekend), '2026-11-16T00:00:00.000Z');
  assert.equal(until('2026-11-13T23:59:00Z', weekend), null);
  const butMonday = { ...weekend, weekdays: ['sat', 'sun', 'tue', 'wed', 'thu', 'fri'] } as const;
  assert.equal(until('2026-11-10T10:00:00Z', butMonday), '2026-11-16T00:00:00.000Z', 'six days');
});

it('hours that would never begin or never end are refused, and so is what is no time, zone or day, by its field', () => {
  const refused = (changes: object): string | undefined =>
    quietHoursSchema.safeParse({ ...NIGHT, ...changes }).error?.issues[0]?.path.join('.');
  assert.equal(refused({}), undefined);
  assert.equal(refused({ to: '22:00' }), 'to');
  assert.equal(refused({ from: '00:00', to: '24:00' }), 'weekdays');
  assert.equal(refused({ from: '00:00', to: '24:00', weekdays: ['sat'] }), undefined);
  for (const [field, value] of [
    ['from', '24:00'],
    ['from', '7:00'],
    ['to', '07:60'],
    ['timeZone', 'Europe/Atlantis'],
    ['weekdays', []],
    ['passes', 'info'],
  ] as const) {
    assert.equal(refused({ [field]: value }), field);
  }
  assert.equal(refused({ weekdays: ['sonntag'] }), 'weekdays.0');
});

it('what is critical, asked for, or a warning about a channel waits never', () => {
  const waits = (
    kind: Parameters<typeof waitsInQuiet>[0]['kind'],
    urgency?: 'critical' | 'warning',
    passes = NIGHT.passes,
  ) => waitsInQuiet({ kind, urgency }, { ...NIGHT, passes });
  assert.deepEqual([waits('incident.opened'), waits('incident.resolved', 'critical')], [false, false]);
  assert.deepEqual([waits('incident.opened', 'warning'), waits('incident.resolved', 'warning')], [true, true]);
  assert.deepEqual(
    [waits('incident.opened', 'warning', 'warning'), waits('monitor.steady', undefined, 'warning')],
    [false, true],
  );
  for (const kind of ['alerts.test', 'alerts.digest', 'channel.stopped', 'channel.confirm'] as const) {
    assert.equal(waits(kind), false, kind);
  }
});
