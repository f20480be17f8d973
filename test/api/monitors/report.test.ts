import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MOST_REPORTS } from '../../../api/monitors/report-routes.ts';
import type { RollUp } from '../../../domain/monitors/history.ts';
import { monitorRecord } from '../../support/monitor-records.ts';
import { startMonitor, type TestMonitor } from '../../support/start-monitor.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;
const as = (caller: string) => ({ 'x-test-caller': caller });

describe('monthly reports', () => {
  let api: TestMonitor;
  before(async () => {
    api = await startMonitor({ now: () => NOW });
    const objective = { targetPercent: 99.9, windowDays: 30 } as const;
    await api.monitors.insert(monitorRecord(1, { objective, serviceName: '=cmd' }));
    await api.monitors.insert(monitorRecord(2, { objective }));
    await api.monitors.insert(monitorRecord(3));
    await api.monitors.insert(monitorRecord(4, { archivedAt: NOW }));
    await api.monitors.insert(monitorRecord(5, { org: 'globex' }));
    const day = (monitorId: string, date: string, downMs: number, length: RollUp['length'] = '1d'): RollUp => ({
      ...{ monitorId, length, startsAt: new Date(date), upMs: DAY_MS - downMs, downMs },
      ...{ degradedMs: 0, maintenanceMs: 0, checks: 1, failed: 0, latency: [] },
    });
    await api.rollUps.write([
      // The last and the first day of other months count for those.
      day('mon_1', '2026-09-30T00:00:00Z', DAY_MS),
      ...Array.from({ length: 31 }, (_, index) =>
        day('mon_1', `2026-10-${String(index + 1).padStart(2, '0')}T00:00:00Z`, index === 3 ? 60_000 : 0),
      ),
      day('mon_1', '2026-11-01T00:00:00Z', DAY_MS),
      day('mon_2', '2026-10-31T00:00:00Z', 3_600_000),
      { ...day('mon_2', '2026-11-20T11:00:00Z', 0, '1h'), upMs: 3_000_000, downMs: 600_000 },
    ]);
  });
  after(() => api.stop());

  const report = async (query = '', caller = 'user/acme/viewer') =>
    (await api.call('GET', `/api/monitor-reports${query}`, undefined, as(caller))).body.data;
  const byId = async (query: string) =>
    new Map((await report(query)).items.map((row: { id: string }) => [row.id, row]));

  it('say of each monitor of the org how it was in that month, and whether that was enough', async () => {
    const rows = (await byId('?month=2026-10')) as Map<string, Record<string, unknown>>;
    assert.deepEqual([...rows.keys()].toSorted(), ['mon_1', 'mon_2', 'mon_3']);
    const [first, second, third] = ['mon_1', 'mon_2', 'mon_3'].map((id) => rows.get(id));
    assert.deepEqual([first?.uptime, first?.coverage, first?.met], [1 - 60_000 / (31 * DAY_MS), 1, true]);
    assert.deepEqual([second?.downMs, second?.coverage, second?.met], [3_600_000, 1 / 31, false]);
    assert.deepEqual([third?.uptime, third?.targetPercent, third?.met], [null, null, null]);
  });

  it('are of the running month as far as it is known, and of no month to come', async () => {
    const now = (await byId('')) as Map<string, Record<string, unknown>>;
    assert.equal((await report()).month, '2026-11');
    assert.equal(now.get('mon_2')?.downMs, 600_000);
    const later = (await byId('?month=2026-12')) as Map<string, Record<string, unknown>>;
    assert.deepEqual([later.get('mon_2')?.uptime, later.get('mon_2')?.coverage], [null, 0]);
  });

  it('are given as CSV so often in a minute, to each org', async () => {
    const csv = async (org: string) =>
      (await api.call('GET', '/api/monitor-reports.csv', undefined, as(`user/${org}/viewer`))).status;
    const statuses: number[] = [];
    for (let count = 0; count <= MOST_REPORTS; count += 1) statuses.push(await csv('many'));
    assert.deepEqual(statuses, [...Array.from({ length: MOST_REPORTS }, () => 200), 429]);
    assert.equal(await csv('few'), 200);
  });

  it('are read in pages', async () => {
    const first = await report('?month=2026-10&limit=2');
    const second = await report(`?month=2026-10&limit=2&cursor=${first.nextCursor}`);
    assert.deepEqual([first.items.length, second.items.length, second.nextCursor], [2, 1, null]);
  });

  it('are CSV that no spreadsheet runs', async () => {
    const path = '/api/monitor-reports.csv?month=2026-10';
    const { text, headers } = await api.call('GET', path, undefined, as('user/acme/viewer'));
    assert.match(String(headers.get('content-type')), /^text\/csv/);
    assert.match(String(headers.get('content-disposition')), /monitors-2026-10\.csv/);
    const [head, ...lines] = text.trimEnd().split('\r\n');
    assert.match(head ?? '', /^"monitor","environment","org","uptimePercent","objectivePercent","met"/);
    assert.equal(lines.length, 3);
    assert.ok(lines.includes(`"'=cmd","prod","acme","99.997","99.9","yes","60","0","100","mon_1"`), text);
  });

  it('show the monitors of another org to nobody but the platform', async () => {
    const ids = (await report('?month=2026-10', 'user/globex/member')).items.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, ['mon_5']);
    const refused = await api.call('GET', '/api/monitor-reports?month=2026-1', undefined, as('user/acme/viewer'));
    assert.equal(refused.status, 400);
    assert.match(refused.text, /a month, such as 2026-11/);
  });
});
