import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { csvLine } from '../../../api/http/csv.ts';
import type { MonitorDeps } from '../../../api/monitor-app.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { MOST_REQUESTS, MOST_SUBSCRIBERS } from '../../../domain/notifications/page-audience.ts';
import { addSubscribers } from '../../support/page-delivery-parts.ts';
import { startMonitor, type TestMonitor } from '../../support/start-monitor.ts';

const as = (caller: string) => ({ 'x-test-caller': caller });
const ADMIN = as('user/acme/admin');

describe('subscribing on a status page', () => {
  let api: TestMonitor;
  let now = new Date('2026-11-01T10:00:00Z');
  before(async () => {
    api = await startMonitor({ now: () => now });
    const body = { serviceName: 'shop', org: 'acme', environment: 'prod', url: 'https://shop.example.com/' };
    await api.call('POST', '/api/pulse/register', body);
  });
  after(() => api.stop());

  const nextHour = (): void => {
    now = new Date(now.getTime() + 3_600_000);
  };
  const subscribe = (address: string, path = '/status/acme', headers: Record<string, string> = {}) =>
    fetch(`${api.address}${path === '/' ? '' : path}/subscribe`, {
      ...{ method: 'POST', body: new URLSearchParams({ address }), headers },
    });

  it('is a form without a script, on a page that caches may keep, which may send it to nobody else', async () => {
    for (const [path, action] of [
      ['/', '/subscribe'],
      ['/status/acme', '/status/acme/subscribe'],
    ] as const) {
      const { text, headers } = await api.call('GET', path, undefined, {});
      assert.ok(text.includes(`<form method="post" action="${action}">`), path);
      assert.match(text, /<label for="address">/);
      assert.equal(headers.get('cache-control'), 'public, max-age=10');
      assert.equal(headers.get('set-cookie'), null);
      assert.match(headers.get('content-security-policy') ?? '', /form-action 'self'/);
    }
    const { stale } = await api.reader.page('acme', 1);
    assert.ok(!stale.includes('<form'), 'a copy takes nothing');
  });

  it('answers alike, and does alike, whatever is known of the address; each request is one delivery', async () => {
    const [id = ''] = await addSubscribers(api.subscribers, 'acme', 1, now);
    const known = (await api.subscribers.find(id))?.address ?? '';
    api.delivered.length = 0;
    const answers = [];
    for (const address of [known, 'new@example.com', 'new@example.com', ` NEW@Example.com`]) {
      const answer = await subscribe(address);
      answers.push([answer.status, answer.headers.get('cache-control'), await answer.text()]);
    }
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal(answers[0]?.[0], 200);
    assert.equal(new Set(api.delivered).size, 4);
    const delivery = await api.deliveries.find(api.delivered[1] ?? '');
    assert.equal(delivery?.notification.kind, 'subscriber.confirm');
    assert.ok(!JSON.stringify(delivery).includes('example.com'), 'the record of a delivery has no address');
    const listed = await api.call('GET', '/api/alerts/deliveries?state=pending', undefined, ADMIN);
    assert.deepEqual(listed.body.data.items, [], 'the alerts of the org are other deliveries');
    await api.subscribers.removeAll('acme');
  });

  it('takes one address, and nothing that would be a header or a list of them', async () => {
    nextHour();
    for (const address of [
      'nobody',
      'a@example.com\r\nBcc: b@example.com',
      'a@example.com, b@example.com',
      '"a b"@example.com',
      'a@localhost',
      'a@personas.invalid',
      '',
      `${'x'.repeat(250)}@example.com`,
    ]) {
      assert.equal((await subscribe(address)).status, 400, JSON.stringify(address));
    }
    const json = await api.call('POST', '/status/acme/subscribe', { address: 'a@example.com' }, {});
    assert.ok(json.status === 400 || json.status === 415, String(json.status));
    assert.equal((await subscribe('a@example.com', '/status/nobody')).status, 404);
    for (const site of ['cross-site', 'same-site']) {
      assert.equal((await subscribe('a@example.com', '/', { 'sec-fetch-site': site })).status, 403, site);
    }
    assert.equal((await subscribe('a@example.com', '/', { 'sec-fetch-site': 'same-origin' })).status, 200);
  });

  it('is limited by client in an hour, whatever the page and the address', async () => {
    nextHour();
    const statuses = [];
    for (let index = 0; index <= MOST_REQUESTS.client; index += 1) {
      statuses.push((await subscribe(`person-${index}@example.com`, index % 2 === 0 ? '/' : '/status/acme')).status);
    }
    assert.deepEqual(
      [statuses.filter((status) => status === 200).length, statuses.at(-1)],
      [MOST_REQUESTS.client, 429],
    );
    nextHour();
    assert.equal((await subscribe('person@example.com')).status, 200);
  });

  it('is limited by page and in all, whoever asks', async () => {
    nextHour();
    const hour = now.toISOString().slice(0, 13);
    for (const key of [`subscribe/page/acme/${hour}`, `subscribe/all/${hour}`]) {
      const kept = api.deps.mailCounts;
      const refusing = { ...kept, take: async (each: string) => each !== key };
      const busy = await startMonitor({ now: () => now, changes: { mailCounts: refusing } });
      await busy.call('POST', '/api/pulse/register', {
        ...{ serviceName: 'shop', org: 'acme', environment: 'prod', url: 'https://shop.example.com/' },
      });
      const answer = await fetch(`${busy.address}/status/acme/subscribe`, {
        ...{ method: 'POST', body: new URLSearchParams({ address: 'a@example.com' }) },
      });
      assert.equal(answer.status, 429, key);
      assert.deepEqual(busy.delivered, []);
      await busy.stop();
    }
  });

  it('is refused where the page has as many subscribers as it may, and where nothing can be sent on its way', async () => {
    const away = async () => Promise.reject(new FairleadError('UNAVAILABLE', 'away', { retryable: true }));
    const full = { ...api.subscribers, count: async () => MOST_SUBSCRIBERS };
    for (const [changes, status] of [
      [{ subscribers: full }, 409],
      [{ deliveryCommands: { deliver: away, gather: away } }, 503],
      [{ sendsMail: false }, 404],
    ] as const) {
      const other = await startMonitor({ now: () => now, changes });
      const answer = await fetch(`${other.address}/subscribe`, {
        ...{ method: 'POST', body: new URLSearchParams({ address: 'a@example.com' }) },
      });
      assert.equal(answer.status, status);
      if (status === 404) assert.ok(!(await other.call('GET', '/', undefined, {})).text.includes('<form'));
      await other.stop();
    }
  });
});

describe('the links in mails to subscribers', () => {
  let api: TestMonitor;
  let now = new Date('2026-11-01T10:00:00Z');
  before(async () => {
    api = await startMonitor({ now: () => now });
  });
  after(() => api.stop());

  const pending = async (address: string) => {
    const id = api.deps.newId('subscriber');
    const made = api.links.newConfirmation(id);
    const expiresAt = new Date(now.getTime() + 24 * 3_600_000);
    await api.subscribers.ask({ id, org: 'acme', address, askedBy: 'sbr_1', confirmation: { ...made, expiresAt } });
    return { id, token: api.links.confirmToken(id, made) ?? '' };
  };
  const open = (method: string, path: string, subscriber: string, token: string) =>
    api.call(method, `${path}?${new URLSearchParams({ subscriber, token, utm_source: 'mail' })}`, undefined, {});
  const state = async (id: string) => (await api.subscribers.find(id))?.state;

  it('confirm an address once: opening one changes nothing, of many at once one wins, and another one does nothing', async () => {
    const { id, token } = await pending('ann@example.com');
    for (let times = 0; times < 2; times += 1) {
      const { status, text, headers } = await open('GET', '/subscribers/confirm', id, token);
      assert.deepEqual([status, headers.get('referrer-policy')], [200, 'no-referrer']);
      assert.match(text, /acme status[\s\S]*<form method="post"/);
    }
    assert.equal(await state(id), 'pending');
    assert.equal((await open('POST', '/subscribers/confirm', id, `${token}x`)).status, 400);
    assert.equal((await open('POST', '/subscribers/confirm', id, api.links.stopToken(id))).status, 400);
    const answers = await Promise.all([1, 2, 3].map(() => open('POST', '/subscribers/confirm', id, token)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400, 400]);
    assert.equal(await state(id), 'confirmed');
    assert.equal((await open('GET', '/subscribers/confirm', id, token)).status, 400);
  });

  it('confirm nothing a day later', async () => {
    const { id, token } = await pending('late@example.com');
    now = new Date(now.getTime() + 24 * 3_600_000);
    for (const method of ['GET', 'POST'])
      assert.equal((await open(method, '/subscribers/confirm', id, token)).status, 400);
    assert.equal(await state(id), 'pending');
  });

  it('end updates by one click of a mail program (RFC 8058), without a login; opening one shows a button', async () => {
    const { id, token: confirmation } = await pending('bob@example.com');
    await open('POST', '/subscribers/confirm', id, confirmation);
    const token = api.links.stopToken(id);
    assert.match((await open('GET', '/subscribers/stop', id, token)).text, /<button>Unsubscribe/);
    assert.equal(await state(id), 'confirmed');
    for (const forged of [`${token}x`, confirmation, api.links.stopToken('sub_other')]) {
      for (const method of ['GET', 'POST']) {
        assert.equal((await open(method, '/subscribers/stop', id, forged)).status, 400);
      }
    }
    const path = `${api.address}/subscribers/stop?${new URLSearchParams({ subscriber: id, token })}`;
    const body = new FormData();
    body.set('List-Unsubscribe', 'One-Click');
    for (const sent of [new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }), body]) {
      assert.equal((await fetch(path, { method: 'POST', body: sent })).status, 200);
      assert.equal(await state(id), undefined, 'the address is forgotten');
    }
    assert.equal((await open('POST', '/subscribers/confirm', id, confirmation)).status, 400);
  });

  it('are in no line of the log', async () => {
    const { id, token } = await pending('logged@example.com');
    const stop = api.links.stopToken(id);
    await open('POST', '/subscribers/confirm', id, token);
    await open('POST', '/subscribers/stop', id, stop);
    const log = api.logged.join('');
    assert.match(log, /subscribers/);
    for (const secret of [token, stop, 'logged@example.com']) assert.ok(!log.includes(secret));
  });
});

describe('what admins see of subscribers', () => {
  let api: TestMonitor;
  const now = new Date('2026-11-01T10:00:00Z');
  before(async () => {
    api = await startMonitor({ now: () => now });
    await addSubscribers(api.subscribers, 'acme', 3, now);
    const confirmation = { nonce: 'n', hash: 'h', expiresAt: new Date(now.getTime() + 1_000) };
    const asked = { id: 'sub_pending', org: 'acme', address: 'pending@example.com', askedBy: 'sbr_1', confirmation };
    await api.subscribers.ask(asked);
  });
  after(() => api.stop());
  const PATH = '/api/status-page/subscribers';

  it('is those of their own page who have confirmed, with their number, page by page', async () => {
    const first = (await api.call('GET', `${PATH}?limit=2`, undefined, ADMIN)).body.data;
    assert.deepEqual([first.items.length, first.total], [2, 3]);
    const second = (await api.call('GET', `${PATH}?limit=2&cursor=${first.nextCursor}`, undefined, ADMIN)).body.data;
    assert.deepEqual([second.items.length, second.nextCursor], [1, null]);
    assert.deepEqual(Object.keys(first.items[0]).toSorted(), ['address', 'confirmedAt', 'id']);
    assert.equal((await api.call('GET', PATH, undefined, as('user/rival/admin'))).body.data.total, 0);
    assert.equal((await api.call('GET', `${PATH}?org=acme`, undefined, as('user/rival/admin'))).status, 403);
    assert.equal((await api.call('GET', PATH, undefined, as('user/acme/member'))).status, 403);
    assert.equal((await api.call('GET', `${PATH}?org=acme`)).body.data.total, 3);
    assert.equal((await api.call('GET', PATH)).body.data.total, 0, 'of the own page of the installation');
  });

  it('is exported as CSV, which no spreadsheet runs, and that is on record', async () => {
    const { status, headers, text } = await api.call('GET', `${PATH}.csv`, undefined, ADMIN);
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/csv; charset=utf-8']);
    const lines = text.split('\r\n');
    assert.deepEqual([lines[0], lines.length], ['"address","confirmedAt"', 5]);
    assert.ok(!text.includes('pending@'));
    assert.ok(api.told().some(({ eventType }) => eventType === 'monitor.subscribers_exported'));
    assert.equal(
      csvLine(['=cmd()@example.com', '+1@example.com', 'a"b', '-x', '@y', 'plain']),
      `"'=cmd()@example.com","'+1@example.com","a""b","'-x","'@y","plain"\r\n`,
    );
  });

  it('is removed by them, one or all, and never by another org', async () => {
    const { items } = (await api.call('GET', PATH, undefined, ADMIN)).body.data;
    const path = `${PATH}/${items[0].id}`;
    const refused = await api.call('DELETE', path, undefined, as('user/rival/admin'));
    assert.deepEqual([refused.status, refused.body.error.code], [404, 'SUBSCRIBER_NOT_FOUND']);
    assert.equal((await api.call('DELETE', path, undefined, ADMIN)).status, 200);
    assert.equal(await api.subscribers.find(items[0].id), null);
    const removed = await api.call('DELETE', PATH, undefined, ADMIN);
    assert.deepEqual(removed.body.data, { removed: 3 });
    assert.equal(await api.subscribers.find('sub_pending'), null);
    assert.ok(!JSON.stringify(api.told()).includes('@example.com'), 'the record of changes has no address');
  });
});

describe('maintenance that the page shows', () => {
  it('is added once, and told, where what tells it is away and whoever adds it asks again', async (t) => {
    let isAway = true;
    const told: (string | null)[] = [];
    const announceMaintenance: MonitorDeps['announceMaintenance'] = async (_monitor, added) => {
      if (isAway) throw new FairleadError('UNAVAILABLE', 'away', { retryable: true });
      told.push('id' in added ? added.id : null);
    };
    let now = new Date('2026-11-01T10:00:00Z');
    const api = await startMonitor({ now: () => now, changes: { announceMaintenance } });
    t.after(() => api.stop());
    const check = { kind: 'tcp', host: 'inner.example.com', port: 5_432 };
    const { body } = await api.call('POST', '/api/monitors', { name: 'shown', isPublic: true, check }, ADMIN);
    const path = `/api/monitors/${body.data.id}`;
    const bodies = {
      maintenance: { from: '2026-11-01T10:00:00Z', to: '2026-11-01T11:00:00Z' },
      'recurring-maintenance': { cron: '0 3 * * sun', minutes: 60, note: 'moving' },
    };
    const recorded = api.told().length;
    for (const away of [true, true, false]) {
      isAway = away;
      for (const [end, asked] of Object.entries(bodies)) {
        assert.equal((await api.call('POST', `${path}/${end}`, asked, ADMIN)).status, away ? 503 : 200, end);
      }
      now = new Date(now.getTime() + 6 * 60_000);
    }
    const { data } = (await api.call('GET', path, undefined, ADMIN)).body;
    assert.deepEqual([data.maintenance.length, data.recurringMaintenance.length], [1, 1]);
    assert.deepEqual(told, [null, data.recurringMaintenance[0].id]);
    assert.equal(api.told().length - recorded, 2, 'each is on record once');
  });

  it('is told to its subscribers, single times and those that come again, without notes, and hidden ones are not', async (t) => {
    const now = new Date('2026-11-01T10:00:00Z');
    const api = await startMonitor({ now: () => now });
    t.after(() => api.stop());
    await addSubscribers(api.subscribers, 'acme', 1, now);
    for (const isPublic of [true, false]) {
      const check = { kind: 'tcp', host: 'inner.example.com', port: 5_432 };
      const name = isPublic ? 'shown' : 'hidden';
      const { body } = await api.call('POST', '/api/monitors', { name, isPublic, check }, ADMIN);
      const path = `/api/monitors/${body.data.id}`;
      const single = { from: '2026-11-02T10:00:00Z', to: '2026-11-02T11:00:00Z', note: 'a note of members' };
      for (let times = 0; times < 2; times += 1) await api.call('POST', `${path}/maintenance`, single, ADMIN);
      const weekly = { cron: '0 3 * * sun', timeZone: 'Europe/Berlin', minutes: 60, note: 'a note of members' };
      await api.call('POST', `${path}/recurring-maintenance`, weekly, ADMIN);
    }
    const waiting = await api.notices.listWaiting('~page/acme', 10);
    const told = await api.notices.read(waiting.map(({ id }) => id));
    assert.deepEqual(
      told.map(({ subject, text }) => [subject, text.split('\n')[0]]).toSorted(),
      [
        ['from 2026-11-02T10:00:00.000Z to 2026-11-02T11:00:00.000Z', ''],
        ['from 2026-11-08T02:00:00.000Z to 2026-11-08T03:00:00.000Z', ', and again later'],
      ].map(([time, again]) => ['acme status: maintenance of shown', `Maintenance of shown ${time}${again}.`]),
    );
    assert.doesNotMatch(JSON.stringify(told), /inner|note of members/);
    assert.deepEqual([...new Set(api.gathered)], ['~page/acme']);
  });
});
