import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Notification } from '../../../domain/notifications/notification.ts';
import { startMonitor, type TestMonitor } from '../../support/start-monitor.ts';

const as = (caller: string) => ({ 'x-test-caller': caller });
const ADMIN = as('user/acme/admin');
const WEBHOOK = { kind: 'webhook', url: 'https://hooks.example.com/alerts' };

const NOTICE: Notification = {
  ...{ id: 'old', kind: 'alerts.test', org: 'acme', subject: 'x', text: 'y', data: {}, at: new Date(0) },
};

describe('the API of alerts', () => {
  let api: TestMonitor;
  before(async () => {
    api = await startMonitor({ changes: { orgsAddChannels: true } });
  });
  after(() => api.stop());

  const list = async (headers: Record<string, string> = ADMIN, query = '') =>
    (await api.call('GET', `/api/alerts/channels${query}`, undefined, headers)).body.data?.items;

  it('shows the secret of a webhook once, and keeps it sealed', async () => {
    const { status, body } = await api.call('POST', '/api/alerts/channels', WEBHOOK, ADMIN);
    assert.deepEqual([status, body.data.secret, body.data.org], [201, 'whsec_c2VjcmV0', 'acme']);
    const text = JSON.stringify(await list());
    assert.ok(!text.includes('whsec_') && !text.includes('sealed'), text);
    const [kept] = await api.channels.list('acme');
    assert.deepEqual(kept?.target.kind === 'webhook' && kept.target.secrets, [{ keyId: 'test', sealed: 'sealed' }]);
    assert.deepEqual(
      api.told().map(({ eventType }) => eventType),
      ['monitor.channel_added'],
    );
  });

  it('belong to an org: another one sees and removes none, and operators have their own', async () => {
    await api.call('POST', '/api/alerts/channels', { kind: 'mail', to: 'ops@example.com' });
    assert.deepEqual(
      (await list({ 'x-test-caller': 'root' })).map(({ org }: { org: null }) => org),
      [null],
    );
    assert.equal((await list({ 'x-test-caller': 'root' }, '?org=acme')).length, 1);
    assert.deepEqual(await list(as('user/rival/admin')), []);
    assert.equal(
      (await api.call('GET', '/api/alerts/channels?org=acme', undefined, as('user/rival/admin'))).status,
      403,
    );
    const [{ id }] = await list();
    const gone = await api.call('DELETE', `/api/alerts/channels/${id}`, undefined, as('user/rival/admin'));
    assert.deepEqual([gone.status, gone.body.error.code], [404, 'CHANNEL_NOT_FOUND']);
  });

  it('refuses an address that is none, and one with a password in it', async () => {
    for (const body of [
      { kind: 'mail', to: 'nobody' },
      { kind: 'mail', to: 'a@example.com\r\nBcc: b@example.com' },
      { kind: 'webhook', url: 'ftp://hooks.example.com' },
      { kind: 'webhook', url: 'https://user:password@hooks.example.com' },
    ]) {
      assert.equal((await api.call('POST', '/api/alerts/channels', body, ADMIN)).status, 400, JSON.stringify(body));
    }
  });

  it('refuses a webhook that nothing would be sent to, unless the operator trusts its origin', async () => {
    const add = (url: string) =>
      api.call('POST', '/api/alerts/channels', { kind: 'webhook', url }, as('user/careful/admin'));
    for (const url of [
      'http://hooks.example.com/',
      'https://10.0.0.7/',
      'https://[::1]/',
      'https://127.0.0.1:8443/x',
    ]) {
      const { status, body } = await add(url);
      assert.deepEqual([status, body.error.code], [400, 'SOURCE_REFUSED'], url);
    }
    assert.equal((await add('http://hooks.internal/x')).status, 201);
    assert.equal((await api.channels.list('careful')).length, 1);
  });

  it('shows beside a channel why the newest notice did not arrive', async () => {
    const [{ id, lastProblem }] = await list();
    assert.equal(lastProblem, null);
    const facts = { notification: NOTICE, channelId: id, org: 'acme', state: 'pending' } as const;
    for (const [at, problem] of [
      [2, 'answered 500'],
      [1, 'answered 404'],
      [3, null],
    ] as const) {
      const times = { createdAt: new Date(at), endedAt: null, attempts: 1 };
      await api.deliveries.insert({ ...facts, ...times, id: `old-${at}`, lastProblem: problem });
    }
    const [shown] = await list();
    assert.equal(shown.lastProblem, 'answered 500');
    for (const at of [1, 2, 3]) await api.deliveries.note(`old-${at}`, { state: 'delivered', lastProblem: null });
    const [solved] = await list();
    assert.equal(solved.lastProblem, null);
  });

  it('a test reaches every channel of the org, and of no other', async () => {
    const { status, body } = await api.call('POST', '/api/alerts/test', {}, ADMIN);
    assert.equal(status, 202);
    const [channel] = await api.channels.list('acme');
    assert.deepEqual(api.delivered, [`${body.data.id}/${channel?.id}`]);
    const { items } = (await api.call('GET', '/api/alerts/deliveries?state=pending', undefined, ADMIN)).body.data;
    assert.deepEqual([items.length, items[0].kind], [1, 'alerts.test']);
    const rival = await api.call('GET', '/api/alerts/deliveries?state=pending', undefined, as('user/rival/admin'));
    assert.deepEqual(rival.body.data.items, []);
  });

  it('what was given up is replayed, under the same id, and what is under way is not', async () => {
    const [id = ''] = api.delivered;
    const replay = (headers: Record<string, string>) =>
      api.call('POST', '/api/alerts/deliveries/replay', { id }, headers);
    assert.equal((await replay(ADMIN)).status, 409);
    await api.deliveries.note(id, { state: 'dead', attempts: 20, lastProblem: 'status 500', endedAt: new Date() });
    assert.equal((await replay(as('user/rival/admin'))).status, 404);
    assert.equal((await replay(ADMIN)).status, 202);
    assert.deepEqual(api.delivered, [id, id]);
  });

  it('an org tests five times in a minute, and uses up the tests of no other', async () => {
    const test = async (caller: string) => (await api.call('POST', '/api/alerts/test', {}, as(caller))).status;
    const answers = [];
    for (let index = 0; index < 6; index += 1) answers.push(await test('user/eager/admin'));
    assert.deepEqual(answers, [202, 202, 202, 202, 202, 429]);
    assert.equal(await test('user/rival/admin'), 202);
  });

  it('a channel that is removed is gone', async () => {
    const [{ id }] = await list();
    assert.equal((await api.call('DELETE', `/api/alerts/channels/${id}`, undefined, ADMIN)).status, 200);
    assert.deepEqual(await list(), []);
  });
});

it('admins of orgs add no channels until the installation lets them', async () => {
  const api = await startMonitor();
  try {
    const mail = { kind: 'mail', to: 'stranger@example.com' };
    const refused = await api.call('POST', '/api/alerts/channels', mail, ADMIN);
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'FORBIDDEN']);
    assert.equal((await api.call('POST', '/api/alerts/channels?org=acme', mail, as('root'))).status, 201);
    assert.equal((await api.call('GET', '/api/alerts/channels', undefined, ADMIN)).body.data.items.length, 1);
  } finally {
    await api.stop();
  }
});
