import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import type { Delivery, Notification } from '../../../domain/notifications/notification.ts';
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
    api = await startMonitor();
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
    api.delivered.length = 0;
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

  it('what the readers of a status page were not mailed is listed beside the alerts, and replayed, by the org of the page', async () => {
    const facts = { org: '~page/acme', channelId: 'subscribers/0', state: 'dead', lastProblem: 'away' } as const;
    const put = (id: string, changes: Partial<Delivery> = {}) => {
      const notification = { ...NOTICE, kind: 'page.opened', org: '~page/acme' } as const;
      const times = { createdAt: new Date(), endedAt: new Date(), attempts: 20 };
      return api.deliveries.insert({ ...facts, ...times, id, notification, ...changes });
    };
    await put('page/inc_1/opened/subscribers/0');
    await put('page/inc_0/opened/subscribers/0', { createdAt: new Date(Date.now() - 6 * 86_400_000) });
    await put('page/inc_2/opened/subscribers', { org: '~page/platform', channelId: 'subscribers' });
    await put('subscribe/sbr_1/sbr_1', { notification: { ...NOTICE, kind: 'subscriber.confirm' } });
    const dead = async (headers: Record<string, string>) =>
      (await api.call('GET', '/api/alerts/deliveries', undefined, headers)).body.data.items.flatMap(
        ({ id, audience }: { readonly id: string; readonly audience: string }) => (audience === 'channel' ? [] : [id]),
      );
    assert.deepEqual(await dead(ADMIN), ['page/inc_1/opened/subscribers/0', 'page/inc_0/opened/subscribers/0']);
    assert.deepEqual(await dead(as('user/rival/admin')), []);
    assert.deepEqual(await dead(as('root')), ['page/inc_2/opened/subscribers']);
    api.delivered.length = 0;
    const replay = async (id: string, headers: Record<string, string> = ADMIN) =>
      (await api.call('POST', '/api/alerts/deliveries/replay', { id }, headers)).status;
    assert.equal(await replay('page/inc_1/opened/subscribers/0', as('user/rival/admin')), 404);
    assert.equal(await replay('page/inc_2/opened/subscribers'), 404);
    assert.equal(await replay('subscribe/sbr_1/sbr_1'), 404, 'questions to addresses are shown to nobody');
    assert.equal(await replay('page/inc_0/opened/subscribers/0'), 409, 'whom it has mailed is not known any more');
    assert.deepEqual(api.delivered, []);
    assert.equal(await replay('page/inc_1/opened/subscribers/0'), 202);
    assert.deepEqual(api.delivered, ['page/inc_1/opened/subscribers/0']);
    const recorded = api.told().at(-1);
    assert.deepEqual(
      [recorded?.eventType, JSON.stringify(recorded).includes('"acme"')],
      ['monitor.delivery_replayed', true],
    );
  });

  it('an org tests five times in a minute, and uses up the tests of no other', async () => {
    const test = async (caller: string) => (await api.call('POST', '/api/alerts/test', {}, as(caller))).status;
    const answers = [];
    for (let index = 0; index < 6; index += 1) answers.push(await test('user/eager/admin'));
    assert.deepEqual(answers, [202, 202, 202, 202, 202, 429]);
    assert.equal(await test('user/rival/admin'), 202);
  });

  it('sets the quiet hours of a channel, shows them, and ends them: for its own admins', async () => {
    const [{ id, quiet: none }] = await list();
    assert.equal(none, null);
    const path = `/api/alerts/channels/${id}/quiet-hours`;
    const hours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin', weekdays: ['fri', 'sat'] };
    const set = await api.call('PUT', path, hours, ADMIN);
    assert.deepEqual([set.status, set.body.data.quiet], [200, { ...hours, passes: 'critical' }]);
    assert.deepEqual((await list())[0].quiet, { ...hours, passes: 'critical' });
    for (const [method, body] of [
      ['PUT', hours],
      ['DELETE', undefined],
    ] as const) {
      const { status, body: reply } = await api.call(method, path, body, as('user/rival/admin'));
      assert.deepEqual([status, reply.error.code], [404, 'CHANNEL_NOT_FOUND']);
      assert.equal((await api.call(method, path, body, as('user/acme/member'))).status, 403);
    }
    assert.equal((await api.call('DELETE', path, undefined, ADMIN)).body.data.quiet, null);
    assert.equal((await list())[0].quiet, null);
    const events = api.told().map(({ eventType }) => eventType);
    assert.deepEqual(events.slice(-2), ['monitor.quiet_hours_set', 'monitor.quiet_hours_ended']);
  });

  it('refuses quiet hours that are none, by the field and with what it takes, and those of a pager', async () => {
    const [{ id }] = await list();
    const set = (changes: object, channel: string = id, headers = ADMIN) =>
      api.call(
        'PUT',
        `/api/alerts/channels/${channel}/quiet-hours`,
        { from: '22:00', to: '07:00', ...changes },
        headers,
      );
    for (const [changes, message] of [
      [{ timeZone: 'Mars/Olympus' }, /timeZone: a time zone of the IANA database, such as Europe\/Berlin/],
      [{ from: '25:00' }, /from: a time of day, such as 22:00/],
      [{ to: '22:00' }, /to: another time than from/],
      [{ from: '00:00', to: '24:00' }, /weekdays: not all of them/],
      [{ weekdays: [] }, /weekdays: at least one day/],
      [{ passes: 'info' }, /passes/],
    ] as const) {
      const { status, body } = await set(changes);
      assert.equal(status, 400);
      assert.match(JSON.stringify(body.error), message);
    }
    const pager = { kind: 'pagerduty', token: 'key' };
    const made = await api.call('POST', '/api/alerts/channels', pager, as('user/paged/admin'));
    const { status, body } = await set({}, made.body.data.id, as('user/paged/admin'));
    assert.deepEqual([status, body.error.code], [409, 'CONFLICT']);
    assert.match(body.error.message, /set the urgency and the support hours of the service in PagerDuty/);
  });

  it('a channel that is removed is gone', async () => {
    const [{ id }] = await list();
    assert.equal((await api.call('DELETE', `/api/alerts/channels/${id}`, undefined, ADMIN)).status, 200);
    assert.deepEqual(await list(), []);
  });
});

/** The token of the link that the worker would mail for a delivery of a confirmation. */
async function mailedToken(api: TestMonitor, id: string): Promise<string> {
  const channel = await api.channels.find(id);
  assert.ok(channel?.confirmation);
  return api.links.confirmToken(id, channel.confirmation) ?? '';
}

describe('a mail address', () => {
  let api: TestMonitor;
  let now = new Date('2026-11-01T10:00:00Z');
  before(async () => {
    api = await startMonitor({ now: () => now });
  });
  after(() => api.stop());

  const add = async (to: string, org = 'acme') =>
    api.call('POST', '/api/alerts/channels', { kind: 'mail', to }, as(`user/${org}/admin`));
  const added = async (to: string, org?: string) => {
    const { status, body } = await add(to, org);
    assert.equal(status, 201);
    return body.data;
  };
  const open = (method: string, path: string, channel: string, token: string) =>
    api.call(method, `${path}?${new URLSearchParams({ channel, token, utm_source: 'mail' })}`, undefined, {});
  const state = async (id: string) => (await api.channels.find(id))?.state;

  it('is told nothing until its owner presses the button behind the mailed link, once', async () => {
    const { id, state: begun, secret } = await added('Ops@Example.com');
    assert.deepEqual([begun, secret, api.delivered.length], ['unconfirmed', null, 1]);
    const delivery = await api.deliveries.find(api.delivered[0] ?? '');
    assert.deepEqual([delivery?.notification.kind, delivery?.channelId], ['channel.confirm', id]);
    await api.call('POST', '/api/alerts/test', {}, ADMIN);
    assert.equal(api.delivered.length, 1);
    const token = await mailedToken(api, id);
    for (const kept of [delivery, await api.channels.find(id)]) assert.ok(!JSON.stringify(kept).includes(token));
    for (let times = 0; times < 2; times += 1) {
      const page = await open('GET', '/alerts/confirm', id, token);
      assert.deepEqual([page.status, page.headers.get('referrer-policy')], [200, 'no-referrer']);
      assert.match(page.text, /The org acme at Fairlead will mail you[\s\S]*<form method="post"/);
    }
    assert.equal(await state(id), 'unconfirmed', 'opening a link changes nothing');
    assert.equal((await open('POST', '/alerts/confirm', id, `${token}x`)).status, 400);
    const answers = await Promise.all([1, 2, 3].map(() => open('POST', '/alerts/confirm', id, token)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400, 400]);
    assert.equal(await state(id), 'active');
    assert.equal((await open('GET', '/alerts/confirm', id, token)).status, 400);
    await api.call('POST', '/api/alerts/test', {}, ADMIN);
    assert.equal(api.delivered.length, 2);
  });

  it('is confirmed within a day, or not at all', async () => {
    const { id } = await added('late@example.com');
    const token = await mailedToken(api, id);
    now = new Date(now.getTime() + 24 * 3_600_000);
    for (const method of ['GET', 'POST']) assert.equal((await open(method, '/alerts/confirm', id, token)).status, 400);
    assert.equal(await state(id), 'unconfirmed');
  });

  it('is stopped by its reader: a link alone changes nothing, one click of a mail program does, for good', async () => {
    const { id } = await added('reader@example.com');
    await open('POST', '/alerts/confirm', id, await mailedToken(api, id));
    const token = api.links.stopToken(id);
    assert.match((await open('GET', '/alerts/stop', id, token)).text, /Stop these alerts/);
    assert.equal(await state(id), 'active');
    assert.equal((await open('POST', '/alerts/stop', id, api.links.stopToken('chn_other'))).status, 400);
    const path = `${api.address}/alerts/stop?${new URLSearchParams({ channel: id, token })}`;
    const body = new FormData();
    body.set('List-Unsubscribe', 'One-Click');
    for (const sent of [new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }), body]) {
      assert.equal((await fetch(path, { method: 'POST', body: sent })).status, 200);
      assert.equal(await state(id), 'stopped');
    }
    const { items } = (await api.call('GET', '/api/alerts/channels', undefined, ADMIN)).body.data;
    assert.equal(items.find((item: { id: string }) => item.id === id).state, 'stopped');
    await api.call('DELETE', `/api/alerts/channels/${id}`, undefined, ADMIN);
    assert.equal((await open('GET', '/alerts/stop', id, token)).status, 400);
  });

  it('is not stopped unseen: the other channels of its org are told, once, and no other org', async () => {
    const { id } = await added('passed-on@example.com', 'seen');
    await open('POST', '/alerts/confirm', id, await mailedToken(api, id));
    const hook = (org: string) => api.call('POST', '/api/alerts/channels', WEBHOOK, as(`user/${org}/admin`));
    const [own] = [(await hook('seen')).body.data, await hook('unseen')];
    await added('unconfirmed@example.com', 'seen');
    api.delivered.length = 0;
    for (let times = 0; times < 2; times += 1) {
      assert.equal((await open('POST', '/alerts/stop', id, api.links.stopToken(id))).status, 200);
    }
    const told = await Promise.all([...new Set(api.delivered)].map((each) => api.deliveries.find(each)));
    assert.deepEqual(
      told.map((delivery) => [delivery?.channelId, delivery?.notification.kind]),
      [[own.id, 'channel.stopped']],
    );
    assert.match(told[0]?.notification.subject ?? '', /passed-on@example\.com were stopped/);
  });

  it('is asked once by each org, whatever others do with it, and nobody learns by the answer what they do', async () => {
    now = new Date('2026-11-03T10:00:00Z');
    const mails = async () => {
      const found = await Promise.all(api.delivered.map((id) => api.deliveries.find(id)));
      return found.filter((delivery) => delivery?.notification.data.isMuted === false).length;
    };
    const before = await mails();
    const answers = [];
    for (const org of ['one', 'two', 'three', 'four', 'five']) answers.push(await added('victim@example.com', org));
    assert.equal((await mails()) - before, 5);
    const again = await added('VICTIM@example.com', 'one');
    assert.equal((await mails()) - before, 5, 'others have used up what is more than one for each');
    const [first, muted] = [answers[0], again].map(({ id, org, createdAt, ...shown }) => shown);
    assert.deepEqual(first, muted);
    const list = await api.call('GET', '/api/alerts/deliveries?state=pending', undefined, as('user/one/admin'));
    const [one, other] = list.body.data.items.map(({ kind, state, attempts }: Record<string, unknown>) => ({
      ...{ kind, state, attempts },
    }));
    assert.deepEqual(one, other);
    assert.equal((await add('victim@example.com', 'one')).status, 429);
    now = new Date('2026-11-04T00:00:00Z');
    await added('victim@example.com', 'one');
    assert.equal((await mails()) - before, 6);
  });

  it('is one of twenty that an org may ask in a day, also where it removes them again', async () => {
    now = new Date('2026-11-05T10:00:00Z');
    const statuses = [];
    for (let index = 0; index < 22; index += 1) {
      const { status, body } = await add(`person-${index}@example.com`, 'busy');
      statuses.push(status);
      if (status === 201) await api.channels.remove(body.data.id);
    }
    assert.deepEqual([statuses.filter((status) => status === 201).length, statuses.at(-1)], [20, 429]);
    assert.equal((await add('somebody@example.com', 'calm')).status, 201);
  });

  it('is no channel where its mail cannot be sent on its way', async () => {
    const away = async () => Promise.reject(new FairleadError('UNAVAILABLE', 'away', { retryable: true }));
    const broken = await startMonitor({ changes: { deliveryCommands: { deliver: away, gather: away } } });
    const mail = { kind: 'mail', to: 'ops@example.com' };
    assert.equal((await broken.call('POST', '/api/alerts/channels', mail, ADMIN)).status, 503);
    assert.deepEqual(await broken.channels.list('acme'), []);
    const pending = await broken.call('GET', '/api/alerts/deliveries?state=pending', undefined, ADMIN);
    assert.deepEqual(pending.body.data.items, []);
    await broken.stop();
  });

  it('no line of the log has a token of a link', async () => {
    const { id } = await added('logged@example.com', 'logged');
    const tokens = [await mailedToken(api, id), api.links.stopToken(id)];
    await open('GET', '/alerts/confirm', id, tokens[0] ?? '');
    await open('POST', '/alerts/stop', id, tokens[1] ?? '');
    const log = api.logged.join('');
    for (const token of tokens) assert.ok(!log.includes(token), log);
  });
});

it('a chat is shown by its host alone: no reply, record or line of the log has its secrets', async () => {
  const sealed: string[] = [];
  const sealForChannel = (_id: string, text: string) => {
    sealed.push(text);
    return { keyId: 'test', sealed: 'sealed' };
  };
  const api = await startMonitor({ changes: { sealForChannel } });
  try {
    const secret = 's3cret-of-a-chat';
    const address = `https://chat.example.com/hooks/${secret}`;
    const bodies = [
      ...(['slack', 'discord', 'teams', 'ntfy'] as const).map((kind) => ({ kind, address })),
      { kind: 'telegram', token: `1:${secret}`, room: '-100' },
      { kind: 'pagerduty', token: secret },
    ];
    for (const body of bodies) {
      const { status, text, body: answer } = await api.call('POST', '/api/alerts/channels', body, ADMIN);
      assert.equal(status, 201, text);
      assert.deepEqual(
        [answer.data.target.service, answer.data.secret, answer.data.state],
        [body.kind, null, 'active'],
      );
      assert.ok(!text.includes(secret), text);
    }
    assert.deepEqual(JSON.parse(sealed[0] ?? ''), { address, token: null, room: null });
    assert.deepEqual(JSON.parse(sealed[4] ?? ''), {
      address: 'https://api.telegram.org',
      token: `1:${secret}`,
      room: '-100',
    });
    const list = await api.call('GET', '/api/alerts/channels', undefined, ADMIN);
    const kept = JSON.stringify([list.body, await api.channels.list('acme'), api.told(), api.logged]);
    assert.ok(!kept.includes(secret), kept);
    assert.deepEqual(
      new Set(list.body.data.items.map(({ target }: { target: { host: string } }) => target.host)),
      new Set(['chat.example.com', 'api.telegram.org', 'events.pagerduty.com']),
    );
    for (const body of [
      { kind: 'slack' },
      { kind: 'slack', address: 'https://10.0.0.7/x' },
      { kind: 'ntfy', address: 'https://ntfy.example.com' },
      { kind: 'telegram', token: 'none', room: '-100' },
      { kind: 'telegram', token: `1:${secret}`, room: 'a room' },
      { kind: 'pagerduty' },
      { kind: 'irc', address },
    ]) {
      const { status, text } = await api.call('POST', '/api/alerts/channels', body, ADMIN);
      assert.equal(status, 400, JSON.stringify(body));
      assert.ok(!text.includes(secret), text);
    }
  } finally {
    await api.stop();
  }
});

it('what is refused is not on record as added, and what cannot be recorded is not added', async () => {
  const api = await startMonitor();
  const broken = await startMonitor({
    changes: {
      recordChange: async () => Promise.reject(new FairleadError('UNAVAILABLE', 'away', { retryable: true })),
    },
  });
  try {
    const add = async (body: unknown) => (await api.call('POST', '/api/alerts/channels', body, ADMIN)).status;
    const statuses = [];
    for (let index = 0; index < 22; index += 1) statuses.push(await add(WEBHOOK));
    statuses.push(await add({ kind: 'mail', to: 'ops@example.com' }));
    assert.deepEqual(statuses.slice(19), [201, 409, 409, 409]);
    assert.equal((await api.channels.list('acme')).filter(({ state }) => state === 'active').length, 20);
    assert.equal(api.told().length, 20);
    for (const body of [WEBHOOK, { kind: 'mail', to: 'ops@example.com' }]) {
      assert.equal((await broken.call('POST', '/api/alerts/channels', body, ADMIN)).status, 503);
      assert.deepEqual([await broken.channels.list('acme'), broken.delivered], [[], []]);
    }
  } finally {
    await api.stop();
    await broken.stop();
  }
});

it('admins of an org add channels of their own org, members do not', async () => {
  const api = await startMonitor();
  try {
    const mail = { kind: 'mail', to: 'ops@example.com' };
    assert.equal((await api.call('POST', '/api/alerts/channels', mail, ADMIN)).status, 201);
    for (const [caller, path] of [
      ['user/acme/member', ''],
      ['user/rival/admin', '?org=acme'],
      ['service/acme', ''],
    ] as const) {
      assert.equal((await api.call('POST', `/api/alerts/channels${path}`, mail, as(caller))).status, 403, caller);
    }
    assert.equal((await api.call('POST', '/api/alerts/channels?org=acme', mail, as('root'))).status, 201);
    assert.equal((await api.channels.list('acme')).length, 2);
  } finally {
    await api.stop();
  }
});
