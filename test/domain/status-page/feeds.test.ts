import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atomFeed } from '../../../domain/status-page/atom-feed.ts';
import { statusCalendar } from '../../../domain/status-page/calendar.ts';
import type { StatusIncident, StatusView } from '../../../domain/status-page/status-view.ts';

const AT = new Date('2026-11-01T10:00:00Z');
const PLACE = { title: 'Fairlead status', url: 'https://status.example.com/status/acme' };
const later = (minutes: number) => new Date(AT.getTime() + minutes * 60_000);

const incident = (changes: Partial<StatusIncident> = {}): StatusIncident => ({
  ...{ id: 'inc_1', title: 'Outage of shop', impact: 'major', status: 'monitoring', startedAt: AT, resolvedAt: null },
  ...{ components: ['mon_1'], updates: [{ at: later(5), status: 'monitoring', body: 'It is back.' }] },
  ...changes,
});
const view = (changes: Partial<StatusView> = {}): StatusView => ({
  ...{ org: 'acme', asOf: later(60), components: [], open: [], past: [], maintenances: [] },
  ...changes,
});

describe('the feed of a status page', () => {
  it('has an entry for each incident, which stays the same one and is new with each update', () => {
    const [before, after] = [later(5), later(9)].map((at) =>
      atomFeed(view({ open: [incident({ updates: [{ at, status: 'monitoring', body: 'x' }] })] }), PLACE),
    );
    const id = /<entry>\n<id>(.*?)<\/id>/;
    assert.equal(id.exec(before ?? '')?.[1], 'https://status.example.com/status/acme#inc_1');
    assert.equal(id.exec(before ?? '')?.[1], id.exec(after ?? '')?.[1]);
    assert.match(before ?? '', /<feed[\s\S]*?<updated>2026-11-01T10:05:00\.000Z[\s\S]*<entry>/);
    assert.match(after ?? '', /<entry>[\s\S]*<updated>2026-11-01T10:09:00\.000Z/);
    const past = incident({ id: 'inc_0', status: 'resolved', resolvedAt: later(1), updates: [] });
    const whole = atomFeed(view({ open: [incident()], past: [past] }), PLACE);
    assert.deepEqual(
      [...whole.matchAll(/<title>(.*?)<\/title>/g)].map(([, title]) => title),
      ['Fairlead status', 'Outage of shop (monitoring)', 'Outage of shop (resolved)'],
    );
    assert.match(atomFeed(view(), PLACE), /<updated>2026-11-01T11:00:00\.000Z<\/updated>/);
  });

  it('is XML whatever people write', () => {
    const body = `</content><script>&"'\u0000\u0007\uFFFF\uD800 ünï 🚢`;
    const feed = atomFeed(
      view({ open: [incident({ title: body, updates: [{ at: AT, status: 'identified', body }] })] }),
      PLACE,
    );
    assert.ok(!feed.includes('<script'), feed);
    assert.match(feed, /&#60;\/content&#62;&#60;script&#62;&#38;&#34;&#39;\uFFFD ünï 🚢/);
    assert.equal(feed.match(/<\/content>/g)?.length, 1);
  });
});

describe('the calendar of a status page', () => {
  const maintenances = [
    { component: 'mon_1', name: 'shop; the, one\\two', from: AT, to: later(90) },
    { component: 'mon_2', name: 'ü'.repeat(100), from: later(60), to: later(61) },
  ];
  const calendar = statusCalendar(view({ maintenances }), PLACE);

  it('has an event for each time of maintenance, in UTC, whose id stays when it ends early', () => {
    const unfolded = calendar.replaceAll('\r\n ', '');
    const lines = unfolded.split('\r\n');
    assert.deepEqual([lines[0], lines.at(-2), lines.at(-1)], ['BEGIN:VCALENDAR', 'END:VCALENDAR', '']);
    for (const line of [
      'UID:mon_1-20261101T100000Z@status.example.com',
      'DTSTAMP:20261101T110000Z',
      'DTSTART:20261101T100000Z',
      'DTEND:20261101T113000Z',
      'SUMMARY:Maintenance of shop\\; the\\, one\\\\two',
      `SUMMARY:Maintenance of ${'ü'.repeat(100)}`,
    ]) {
      assert.ok(lines.includes(line), `${line}\n${unfolded}`);
    }
    const early = statusCalendar(
      view({ maintenances: maintenances.map((each) => ({ ...each, to: later(70) })) }),
      PLACE,
    );
    assert.deepEqual(early.match(/^UID:.*$/gm), calendar.match(/^UID:.*$/gm));
  });

  it('has lines of 75 octets at most, and none is cut within a character', () => {
    for (const line of calendar.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line);
    assert.ok(!calendar.includes('\uFFFD'));
    assert.ok(!/[^\r]\n/.test(calendar));
  });
});
