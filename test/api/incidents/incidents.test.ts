import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MOST_CHANGES, MOST_OPEN } from '../../../api/incidents/change-routes.ts';
import { startMonitor, type TestMonitor } from '../../support/start-monitor.ts';

const as = (caller: string) => ({ 'x-test-caller': caller });
const MEMBER = as('user/acme/member');

describe('the API of incidents', () => {
  let api: TestMonitor;
  let id: string;
  before(async () => {
    api = await startMonitor();
    id = 'inc_shop_1';
    const start = { id, org: 'acme', monitorId: 'mon_shop', sequence: 1, title: 'shop is down', isPublic: true };
    await api.incidentCommands.begin({ ...start, cause: 'status 500', startedAt: '2026-11-26T10:00:00.000Z' });
  });
  after(() => api.stop());

  const show = async (headers = MEMBER) => api.call('GET', `/api/incidents/${id}`, undefined, headers);
  const post = (end: string, body: object = {}, headers = MEMBER) =>
    api.call('POST', `/api/incidents/${id}/${end}`, body, headers);

  it('shows one to its org, and to others that there is none', async () => {
    const { body } = await show(as('user/acme/viewer'));
    assert.deepEqual([body.data.state, body.data.cause, body.data.title], ['open', 'status 500', 'shop is down']);
    const strange = await show(as('user/rival/admin'));
    assert.deepEqual([strange.status, strange.body.error.code], [404, 'INCIDENT_NOT_FOUND']);
    for (const end of ['acknowledge', 'resolve'] as const) {
      assert.equal((await post(end, {}, as('user/rival/admin'))).status, 404);
    }
    const list = await api.call('GET', '/api/incidents?org=acme', undefined, as('user/rival/admin'));
    assert.deepEqual(list.body.data.items, []);
  });

  it('is acknowledged, told of and resolved by a member, each recorded with who did it', async () => {
    assert.equal((await post('acknowledge')).status, 202);
    assert.equal((await post('updates', { status: 'identified', body: 'A full disk' })).status, 202);
    assert.equal(
      (await post('updates', { status: 'resolved', body: 'x' })).status,
      400,
      'its end has a route of its own',
    );
    assert.equal((await post('resolve', { note: 'Space was made' })).status, 202);
    const { data } = (await show()).body;
    assert.deepEqual([data.state, data.acknowledged.by], ['resolved', 'usr_test']);
    assert.deepEqual(
      data.updates.map(({ status, body, by }: Record<string, string>) => [status, body, by]),
      [
        ['investigating', 'The monitor found it down.', null],
        ['identified', 'A full disk', 'usr_test'],
        ['resolved', 'Space was made', 'usr_test'],
      ],
    );
    assert.deepEqual(
      api.told().map(({ eventType, orgSlug }) => [eventType, orgSlug]),
      ['acknowledged', 'updated', 'resolved'].map((what) => [`incident.${what}`, 'acme']),
    );
  });

  it('takes no more word of one that is resolved', async () => {
    for (const [end, body] of [
      ['acknowledge', {}],
      ['updates', { status: 'monitoring', body: 'x' }],
      ['resolve', {}],
    ] as const) {
      assert.equal((await post(end, body)).status, 409, end);
    }
  });

  it('is written by a person for their own org, and shows its text as the first update', async () => {
    const body = { title: 'Mail is slow', body: 'We look into it' };
    const written = await api.call('POST', '/api/incidents', body, MEMBER);
    const { data } = (await api.call('GET', `/api/incidents/${written.body.data.id}`, undefined, MEMBER)).body;
    assert.deepEqual([data.org, data.monitorId, data.updates[0].body], ['acme', null, 'We look into it']);
    assert.equal((await api.call('POST', '/api/incidents', { ...body, org: 'rival' }, MEMBER)).status, 403);
    const turned = { ...body, title: 'a\u202eb' };
    assert.equal((await api.call('POST', '/api/incidents', turned, MEMBER)).status, 400);
  });

  it('are written by hand no more while an org has a hundred open of these, however many outages there are', async () => {
    const start = { org: 'busy', monitorId: null, sequence: null, title: 'x', isPublic: true, cause: 'y' };
    const open = async (id: string, found: { readonly monitorId?: string } = {}) =>
      api.incidentCommands.begin({ ...start, ...found, id, startedAt: new Date().toISOString() });
    const write = () => api.call('POST', '/api/incidents', { title: 'x', body: 'y' }, as('user/busy/member'));
    for (let index = 0; index < MOST_OPEN; index += 1) await open(`inc_down_${index}`, { monitorId: `mon_${index}` });
    assert.equal((await write()).status, 202);
    for (let index = 1; index < MOST_OPEN; index += 1) await open(`inc_busy_${index}`);
    assert.equal((await write()).status, 409);
    await api.call('POST', '/api/incidents/inc_busy_1/resolve', {}, as('user/busy/member'));
    assert.equal((await write()).status, 202);
  });

  it('are listed by whether they are open, and by monitor', async () => {
    const ids = async (query: string) => {
      const { body } = await api.call('GET', `/api/incidents?${query}`, undefined, MEMBER);
      return body.data.items.map(({ title }: { title: string }) => title);
    };
    assert.deepEqual(await ids('open=true'), ['Mail is slow']);
    assert.deepEqual(await ids('open=false'), ['shop is down']);
    assert.deepEqual(await ids('monitorId=mon_shop'), ['shop is down']);
    assert.deepEqual(await ids('monitorId=mon_other'), []);
  });

  it('is changed so often in a minute by the people of one org, whoever they are; others go on', async () => {
    const start = { org: 'noisy', monitorId: null, sequence: null, title: 'x', isPublic: false, cause: 'x' };
    await api.incidentCommands.begin({ ...start, id: 'inc_noisy', startedAt: new Date().toISOString() });
    const update = (member: string) =>
      api.call('POST', '/api/incidents/inc_noisy/updates', { status: 'identified', body: 'x' }, as(member));
    for (let change = 0; change < MOST_CHANGES; change += 1) {
      assert.equal((await update('user/noisy/member')).status, 202);
    }
    const { status, body } = await update('user/noisy/admin');
    assert.deepEqual([status, body.error.code], [429, 'RATE_LIMITED']);
    const other = { title: 'y', body: 'y', isPublic: false };
    assert.equal((await api.call('POST', '/api/incidents', other, MEMBER)).status, 202);
  });
});
