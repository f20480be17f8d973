import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startMonitor, type TestMonitor } from '../../support/start-monitor.ts';

const as = (caller: string) => ({ 'x-test-caller': caller });
const MEMBER = as('user/acme/member');

describe('recurring maintenance by the API', () => {
  let api: TestMonitor;
  let id: string;
  let now = new Date('2026-11-01T02:00:00Z');
  before(async () => {
    api = await startMonitor({ now: () => now });
    const check = { kind: 'tcp', host: 'db.example.com', port: 5_432 };
    id = (await api.call('POST', '/api/monitors', { name: 'db', check }, MEMBER)).body.data.id;
  });
  after(() => api.stop());

  const path = (end = '') => `/api/monitors/${id}/recurring-maintenance${end}`;
  const add = (body: object, caller = MEMBER) => api.call('POST', path(), body, caller);
  const shown = async () => (await api.call('GET', `/api/monitors/${id}`, undefined, MEMBER)).body.data;

  it('is shown with its next time, is in force each time, and is ended early or for good', async () => {
    const body = { cron: '0 4 * * sun', timeZone: 'Europe/Berlin', minutes: 60, note: 'vacuum' };
    const { status, body: answer } = await add(body);
    assert.equal(status, 200);
    const [added] = answer.data.recurringMaintenance;
    assert.deepEqual(added, { ...body, id: added.id, next: '2026-11-01T03:00:00.000Z' });
    const states = [];
    for (const time of ['2026-11-01T03:00:00Z', '2026-11-01T04:00:00Z', '2026-11-08T03:30:00Z']) {
      now = new Date(time);
      states.push((await shown()).state);
    }
    assert.deepEqual(states, ['maintenance', 'pending', 'maintenance']);
    assert.equal((await shown()).since, '2026-11-08T03:00:00.000Z');

    await api.call('DELETE', `/api/monitors/${id}/maintenance`, undefined, MEMBER);
    assert.equal((await shown()).state, 'pending');
    now = new Date('2026-11-15T03:30:00Z');
    assert.equal((await shown()).state, 'maintenance');
    const ended = await api.call('DELETE', path(`/${added.id}`), undefined, MEMBER);
    assert.deepEqual([ended.body.data.state, ended.body.data.recurringMaintenance], ['pending', []]);
    assert.deepEqual(
      api.told().map(({ eventType }) => eventType),
      [
        ...['monitor.added', 'monitor.recurring_maintenance_added', 'monitor.maintenance_ended'],
        'monitor.recurring_maintenance_ended',
      ],
    );
    const again = await api.call('DELETE', path(`/${added.id}`), undefined, MEMBER);
    assert.deepEqual([again.status, again.body.error.code], [404, 'NOT_FOUND']);
  });

  it('is refused, and not on record, where it never comes or is none', async () => {
    const before = api.told().length;
    for (const body of [
      { cron: '0 0 30 feb *', minutes: 60 },
      { cron: '* * * * *', minutes: 60 },
      { cron: '0 3 * * *', minutes: 1_441 },
      { cron: '0 3 * * *', minutes: 60, timeZone: 'Mars/Olympus' },
    ]) {
      assert.equal((await add(body)).status, 400, JSON.stringify(body));
    }
    for (let index = 0; index < 10; index += 1)
      assert.equal((await add({ cron: '0 3 * * *', minutes: 5 + index })).status, 200);
    assert.equal((await add({ cron: '0 3 * * *', minutes: 5 })).status, 200, 'it is there');
    assert.equal((await add({ cron: '0 3 * * *', minutes: 60 })).status, 409);
    assert.equal(api.told().length - before, 10);
    assert.equal((await add({ cron: '0 3 * * *', minutes: 5 }, as('user/rival/member'))).status, 404);
  });
});
