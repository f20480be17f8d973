import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startMonitor, type TestMonitor } from '../../support/start-monitor.ts';

const MEMBER = { 'x-test-caller': 'user/acme/member' };

describe('what programs follow of a status page', () => {
  let api: TestMonitor;
  const now = new Date('2026-11-01T10:00:00Z');
  before(async () => {
    api = await startMonitor({ now: () => now });
    for (const [name, isPublic] of [
      ['shown', true],
      ['hidden', false],
    ] as const) {
      const check = { kind: 'tcp', host: 'inner.example.com', port: 5_432 };
      const { body } = await api.call('POST', '/api/monitors', { name, isPublic, check }, MEMBER);
      const path = `/api/monitors/${body.data.id}`;
      const weekly = { cron: '0 3 * * sun', timeZone: 'Europe/Berlin', minutes: 60, note: 'a note of members' };
      await api.call('POST', `${path}/recurring-maintenance`, weekly, MEMBER);
      const single = { from: '2026-11-02T10:00:00Z', to: '2026-11-02T11:00:00Z', note: 'a note of members' };
      await api.call('POST', `${path}/maintenance`, single, MEMBER);
      const id = `inc_${name}`;
      const facts = { id, org: 'acme', monitorId: body.data.id, sequence: 1, title: `${name} inner`, isPublic };
      await api.incidentCommands.begin({ ...facts, cause: 'what a check saw', startedAt: '2026-11-01T09:00:00.000Z' });
    }
  });
  after(() => api.stop());
  const get = (file: string) => api.call('GET', `/status/acme/${file}`, undefined, {});

  it('is a feed of the incidents that the page shows, for pages of every origin', async () => {
    const { status, headers, text } = await get('feed.atom');
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/atom+xml; charset=utf-8']);
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.deepEqual(
      [...text.matchAll(/<entry>\n<id>.*#(.*)<\/id>\n<title>(.*)<\/title>/g)].map(([, id, title]) => [id, title]),
      [['inc_shown', 'Outage of shown (investigating)']],
    );
    assert.doesNotMatch(text, /hidden|inner|saw/);
  });

  it('is a calendar of the maintenance to come, single times and those that come again, without notes', async () => {
    const { status, headers, text } = await get('maintenance.ics');
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/calendar; charset=utf-8']);
    const begins = [...text.matchAll(/^DTSTART:(.*)\r$/gm)].map(([, at]) => at);
    assert.deepEqual(begins.slice(0, 3), ['20261102T100000Z', '20261108T020000Z', '20261115T020000Z']);
    assert.equal(begins.length, 9);
    assert.doesNotMatch(text, /hidden|inner|note of members/);
  });

  it('is named by the page', async () => {
    const { text } = await api.call('GET', '/status/acme', undefined, {});
    for (const file of ['feed.atom', 'maintenance.ics']) assert.ok(text.includes(`href="/status/acme/${file}"`), file);
  });
});
