import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createUptimeMonitor } from '../../../adapters/monitor/uptime-monitor.ts';
import { createOrgLimit } from '../../../api/http/org-limit.ts';
import { MOST_BY_HAND } from '../../../api/monitors/create-route.ts';
import { KEY, startMonitor, type TestMonitor } from '../../support/start-monitor.ts';
import { waitUntil } from '../../support/wait-until.ts';

const MONITOR_KEY = 'key-of-the-monitor-alone-0123456789abcdef';
const as = (caller: string) => ({ 'x-test-caller': caller });
const MEMBER = as('user/acme/member');

describe('the API of monitors', () => {
  let api: TestMonitor;
  before(async () => {
    api = await startMonitor({ key: MONITOR_KEY });
  });
  after(() => api.stop());

  const registration = (changes: object = {}) => ({
    ...{ serviceName: 'shop', org: 'acme', namespace: 'shop-prod', environment: 'prod', interval: 30 },
    ...{ url: 'https://shop.example.com/health', healthEndpoint: '/health', ...changes },
  });
  const register = (
    changes: object = {},
    headers: Record<string, string> = { authorization: `Bearer ${MONITOR_KEY}` },
  ) => api.call('POST', '/api/pulse/register', registration(changes), headers);
  const show = async (id: string, headers: Record<string, string> = MEMBER) =>
    (await api.call('GET', `/api/monitors/${id}`, undefined, headers)).body;

  it('takes a registration by its key as a bearer token or in the header of the platform, and by no other key', async () => {
    const first = await register();
    assert.equal(first.status, 200, first.text);
    const { pulseMonitorId, id } = first.body.data;
    assert.equal(pulseMonitorId, id);
    assert.equal((await register({}, { 'x-internal-key': MONITOR_KEY })).body.data.id, id);
    assert.equal((await register({}, { 'x-internal-key': KEY })).body.data.id, id);
    for (const headers of [{}, { authorization: `Bearer ${MONITOR_KEY}x` }, { 'x-internal-key': `${KEY}x` }]) {
      assert.equal((await register({}, headers)).status, 401);
    }
  });

  it('lets whoever has its own key register, and neither read nor change anything', async () => {
    const { id } = (await register()).body.data;
    for (const headers of [{ authorization: `Bearer ${MONITOR_KEY}` }, { 'x-internal-key': MONITOR_KEY }]) {
      for (const [method, path] of [
        ['GET', '/api/monitors'],
        ['PATCH', `/api/monitors/${id}`],
        ['POST', '/api/monitors'],
        ['GET', '/api/incidents'],
        ['POST', '/api/alerts/test'],
        ['GET', '/metrics'],
      ] as const) {
        const body = method === 'GET' ? undefined : { paused: true };
        assert.equal((await api.call(method, path, body, headers)).status, 401, `${method} ${path}`);
      }
    }
    assert.equal((await api.call('GET', '/api/monitors')).status, 200, 'the key of the installation reads');
  });

  it('takes no address with a user name or a password in it', async () => {
    for (const login of ['ann:s3cret@', ':s3cret@', 'ann@']) {
      assert.equal((await register({ url: `https://${login}shop.example.com/` })).status, 400, login);
      for (const [kind, scheme] of [
        ['http', 'https'],
        ['websocket', 'wss'],
      ] as const) {
        const body = { name: 'shop', check: { kind, url: `${scheme}://${login}shop.example.com/` } };
        assert.equal((await api.call('POST', '/api/monitors', body, MEMBER)).status, 400, `${kind} ${login}`);
      }
    }
  });

  it("answers the builder's own client with the id that it keeps", async () => {
    const client = createUptimeMonitor({ url: api.address, internalKey: MONITOR_KEY });
    const { monitorId } = await client.register(registration() as Parameters<typeof client.register>[0]);
    assert.equal(monitorId, (await register()).body.data.id);
  });

  it('keeps the org of a monitor that is registered without one, and changes what else is said', async () => {
    const { id } = (await register()).body.data;
    const { org, ...rest } = registration({ interval: 60, expectStatus: 404 });
    assert.equal(org, 'acme');
    const again = await api.call('POST', '/api/pulse/register', rest, { 'x-internal-key': MONITOR_KEY });
    assert.equal(again.body.data.id, id);
    const { data } = await show(id);
    assert.deepEqual([data.org, data.intervalSeconds, data.check.expectStatus], ['acme', 60, 404]);
  });

  it('archives what is unregistered by its own key as well, and brings it back with the next registration', async () => {
    const url = 'https://shop.custom.dev/health';
    const { id } = (await register({ url })).body.data;
    const of = { serviceName: 'shop', environment: 'prod', url: 'https://shop.custom.dev/' };
    const unregister = (body: object) =>
      api.call('POST', '/api/pulse/unregister', body, { authorization: `Bearer ${MONITOR_KEY}` });
    assert.deepEqual((await unregister({ ...of, environment: 'uat' })).body.data, { archived: false });
    assert.deepEqual((await unregister(of)).body.data, { archived: true });
    const first = (await show(id)).data.archivedAt;
    assert.equal(typeof first, 'string');
    assert.deepEqual((await unregister(of)).body.data, { archived: true });
    assert.equal((await show(id)).data.archivedAt, first);
    assert.equal((await register({ url })).body.data.id, id);
    assert.equal((await show(id)).data.archivedAt, null);
    await register({ url, unmanaged: true });
    assert.deepEqual((await unregister(of)).body.data, { archived: false }, 'an operator keeps it');
    await register({ url });
    await unregister(of);
  });

  it('keeps an objective when the service is deployed again, and says what is left of its budget', async () => {
    const body = { serviceName: 'promised', url: 'https://promised.example.com/health' };
    const { id } = (await register(body)).body.data;
    const set = (objective: object | null, headers = MEMBER) =>
      api.call('PATCH', `/api/monitors/${id}`, { objective }, headers);
    assert.equal((await set({ targetPercent: 99.9 }, as('user/acme/viewer'))).status, 403);
    assert.equal((await set({ targetPercent: 99.9 }, as('user/globex/member'))).status, 404);
    const bad = await set({ targetPercent: 100 });
    assert.equal(bad.status, 400);
    assert.match(bad.text, /targetPercent/);
    assert.deepEqual((await set({ targetPercent: 99.9 })).body.data.objective, { targetPercent: 99.9, windowDays: 30 });
    await register({ ...body, url: 'https://promised.example.com/up' });
    const { objective, budget, target } = (await show(id)).data;
    assert.deepEqual([objective.targetPercent, target], [99.9, 'https://promised.example.com/up']);
    assert.deepEqual(budget, { allowedMs: 2_592_000, usedMs: 0, left: 1, burning: [] });
    await set(null);
    assert.deepEqual([(await show(id)).data.objective, (await show(id)).data.budget], [null, null]);
    assert.deepEqual(
      api
        .told()
        .filter(({ entityId, eventType }) => entityId === id && eventType === 'monitor.changed')
        .map(({ data }) => (data as { targetPercent?: number | null }).targetPercent),
      [99.9, null],
    );
  });

  it("keeps a person's interval when the service is deployed again, until they reset it", async () => {
    const body = { serviceName: 'slow', url: 'https://slow.example.com/health', interval: 30 };
    const { id } = (await register(body)).body.data;
    const set = (intervalSeconds: number | null) =>
      api.call('PATCH', `/api/monitors/${id}`, { intervalSeconds }, MEMBER);
    const intervals = async () => {
      const { data } = await show(id);
      return [data.intervalSeconds, data.deployedIntervalSeconds];
    };
    assert.equal((await set(300)).status, 200);
    await register({ ...body, interval: 20, url: 'https://slow.example.com/up' });
    assert.deepEqual([await intervals(), (await show(id)).data.target], [[300, 20], 'https://slow.example.com/up']);
    assert.equal((await set(null)).status, 200);
    assert.deepEqual(await intervals(), [20, null]);
    assert.equal((await set(1)).status, 400);
  });

  it('shows a monitor to its org and the platform, and to nobody else', async () => {
    const { id } = (await register()).body.data;
    assert.equal((await show(id, as('user/acme/viewer'))).data.id, id);
    assert.equal((await show(id, as('root'))).data.id, id);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/days'],
      ['GET', '/series'],
      ['DELETE', ''],
    ] as const) {
      const { status, body } = await api.call(method, `/api/monitors/${id}${path}`, undefined, as('user/rival/admin'));
      assert.deepEqual([status, body.error.code], [404, 'MONITOR_NOT_FOUND']);
    }
    const list = await api.call('GET', '/api/monitors', undefined, as('user/rival/admin'));
    assert.deepEqual(list.body.data.items, []);
    const other = await api.call('GET', '/api/monitors?org=acme', undefined, as('user/rival/admin'));
    assert.deepEqual(other.body.data.items, [], 'an org that somebody names adds nothing');
  });

  it('says how a monitor is by its last check, and that nothing is known when those are old', async () => {
    const { id } = (await register()).body.data;
    assert.equal((await show(id)).data.state, 'pending');
    const at = Date.now();
    const last = {
      monitorId: id,
      at,
      outcome: 'failed',
      durationMs: 12,
      problem: 'refused',
      status: null,
      message: 'no',
    } as const;
    await api.report(id, { verdict: { verdict: 'down', since: at - 5_000, run: null }, last, seenAt: at });
    const { data } = await show(id);
    assert.deepEqual([data.state, data.lastCheck.problem, Date.parse(data.since)], ['down', 'refused', at - 5_000]);
    await api.report(id, { verdict: { verdict: 'up', since: 1, run: null }, last, seenAt: at - 3_600_000 });
    assert.equal((await show(id)).data.state, 'unknown');
  });

  it('finds monitors by state, environment and a part of the name or target', async () => {
    await register({ serviceName: 'mail', url: 'https://mail.example.com/', environment: 'uat' });
    const names = async (query: string) => {
      const { body } = await api.call('GET', `/api/monitors?${query}`, undefined, MEMBER);
      return body.data.items.map(({ name }: { name: string }) => name);
    };
    assert.deepEqual(await names('environment=uat'), ['mail']);
    assert.deepEqual(await names('q=MAIL.example'), ['mail']);
    assert.deepEqual(await names('state=pending&environment=uat'), ['mail']);
    assert.deepEqual(await names('state=down'), []);
    assert.equal((await api.call('GET', '/api/monitors?state=odd', undefined, MEMBER)).status, 400);
  });

  it('a monitor that a member adds is unmanaged, of their own org, and recorded', async () => {
    const body = { name: 'db', check: { kind: 'tcp', host: 'db.example.com', port: 5432 }, intervalSeconds: 10 };
    const { status, body: made } = await api.call('POST', '/api/monitors', body, MEMBER);
    assert.equal(status, 201);
    assert.deepEqual(
      [made.data.org, made.data.unmanaged, made.data.isPublic, made.data.target, made.data.heartbeatUrl],
      ['acme', true, false, 'db.example.com:5432', null],
    );
    const event = api.told().at(-1);
    assert.deepEqual([event?.eventType, event?.orgSlug, event?.entityId], ['monitor.added', 'acme', made.data.id]);
    const other = await api.call('POST', '/api/monitors', { ...body, org: 'rival' }, MEMBER);
    assert.equal(other.status, 403);
    const bad = await api.call('POST', '/api/monitors', { ...body, intervalSeconds: 1 }, MEMBER);
    assert.equal(bad.status, 400);
  });

  it('an org adds so many by hand and no more, until one is removed', async () => {
    const FULL = as('user/full/member');
    const add = (name: string) =>
      api.call('POST', '/api/monitors', { name, check: { kind: 'tcp', host: 'db.example.com', port: 1 } }, FULL);
    const first = await add('first');
    const made = await api.monitors.find(first.body.data.id);
    assert.ok(made);
    for (let index = 1; index < MOST_BY_HAND; index += 1) {
      await api.monitors.insert({
        ...made,
        id: `mon_full${index}`,
        key: `manual/mon_full${index}`,
        number: 1_000 + index,
      });
    }
    // What operators register for the org takes no place of these.
    const operators = { ...made, id: 'mon_operators', key: 'worker/prod/worker.full.dev', number: 9_000 };
    await api.monitors.insert(operators);
    const refused = await add('one-more');
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT']);
    await api.call('DELETE', `/api/monitors/${made.id}`, undefined, FULL);
    const both = await Promise.all([add('one-more'), add('another')]);
    const live = await Promise.all(both.map(async ({ body }) => (await show(body.data?.id ?? 'mon_none', FULL)).data));
    assert.ok(
      both.some(({ status }) => status === 409),
      'of two at once for one place not both have it',
    );
    assert.ok(live.filter((monitor) => monitor?.archivedAt === null).length <= 1);
    if (live.every((monitor) => monitor?.archivedAt !== null)) assert.equal((await add('one-more')).status, 201);
  });

  it('an org adds so many in a minute, also where it removes them again, and uses up the room of no other', async () => {
    const own = await startMonitor({ changes: { addLimit: createOrgLimit(3, 'new monitors') } });
    const EAGER = as('user/eager/member');
    const check = { kind: 'tcp', host: 'db.example.com', port: 1 };
    const add = (caller: Record<string, string>) => own.call('POST', '/api/monitors', { name: 'db', check }, caller);
    const statuses = [];
    for (let index = 0; index < 4; index += 1) {
      const { status, body } = await add(EAGER);
      statuses.push(status);
      if (status === 201) await own.call('DELETE', `/api/monitors/${body.data.id}`, undefined, EAGER);
    }
    assert.deepEqual(statuses, [201, 201, 201, 429]);
    assert.equal((await add(MEMBER)).status, 201);
    await own.stop();
  });

  it('pauses and resumes, keeps who paused, and archives what was added by hand alone', async () => {
    const { id } = (await register()).body.data;
    const paused = await api.call('PATCH', `/api/monitors/${id}`, { paused: true }, MEMBER);
    assert.deepEqual([paused.body.data.state, paused.body.data.paused.by], ['paused', 'usr_test']);
    const resumed = await api.call('PATCH', `/api/monitors/${id}`, { paused: false, isPublic: false }, MEMBER);
    assert.deepEqual([resumed.body.data.paused, resumed.body.data.isPublic], [null, false]);
    assert.deepEqual(
      api
        .told()
        .slice(-2)
        .map(({ eventType }) => eventType),
      ['monitor.paused', 'monitor.resumed'],
    );
    assert.equal((await api.call('DELETE', `/api/monitors/${id}`, undefined, MEMBER)).status, 409);
    const body = { name: 'gone', check: { kind: 'websocket', url: 'wss://ws.example.com/' } };
    const made = await api.call('POST', '/api/monitors', body, MEMBER);
    const path = `/api/monitors/${made.body.data.id}`;
    assert.equal((await api.call('DELETE', path, undefined, MEMBER)).status, 200);
    const left = await api.call('GET', '/api/monitors?q=gone', undefined, MEMBER);
    assert.deepEqual(left.body.data.items, []);
    const archived = await api.call('GET', '/api/monitors?q=gone&archived=true', undefined, MEMBER);
    assert.equal(archived.body.data.items.length, 1);
  });

  it('is in maintenance for the time that a member says', async () => {
    const { id } = (await register()).body.data;
    const window = (from: number, to: number) => ({
      from: new Date(Date.now() + from).toISOString(),
      to: new Date(Date.now() + to).toISOString(),
    });
    const path = `/api/monitors/${id}/maintenance`;
    const later = await api.call('POST', path, window(60_000, 120_000), MEMBER);
    assert.notEqual(later.body.data.state, 'maintenance');
    const now = await api.call('POST', path, { ...window(-1_000, 60_000), note: 'moving' }, MEMBER);
    assert.deepEqual([now.body.data.state, now.body.data.maintenance[0].note], ['maintenance', 'moving']);
    const day = 86_400_000;
    for (const [from, to] of [
      [2_000, 1_000],
      [-day, day],
      [-2_000, -1_000],
      [0, 32 * day],
      [400 * day, 401 * day],
    ] as const) {
      assert.equal((await api.call('POST', path, window(from, to), MEMBER)).status, 400, `${from} to ${to}`);
    }
  });

  it('is out of maintenance once a member ends it, and keeps what is planned unless that is withdrawn', async () => {
    const { id } = (await register({ serviceName: 'moved' })).body.data;
    const path = `/api/monitors/${id}/maintenance`;
    const [from, to] = [0, 3_600_000].map((later) => new Date(Date.now() + later).toISOString());
    await api.call('POST', path, { from, to }, MEMBER);
    const planned = { from: to, to: new Date(Date.now() + 7_200_000).toISOString() };
    assert.equal((await api.call('POST', path, planned, MEMBER)).body.data.state, 'maintenance');
    assert.equal((await api.call('DELETE', path, undefined, as('user/acme/viewer'))).status, 403);
    assert.equal((await api.call('DELETE', path, undefined, as('user/rival/member'))).status, 404);
    const ended = (await api.call('DELETE', path, undefined, MEMBER)).body.data;
    assert.deepEqual([ended.state, ended.maintenance.length, ended.maintenance[1].from], ['pending', 2, to]);
    assert.ok(Date.parse(ended.maintenance[0].to) <= Date.now());
    assert.equal(api.told().at(-1)?.eventType, 'monitor.maintenance_ended');
    const withdrawn = (await api.call('DELETE', `${path}?planned=true`, undefined, MEMBER)).body.data;
    assert.equal(withdrawn.maintenance.length, 1);
  });

  it('is read by Prometheus, and no name of a monitor writes a line of its own', async () => {
    const { text, headers, status } = await api.call('GET', '/metrics', undefined, MEMBER);
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(
      text,
      /^fairlead_monitor_state\{id="mon_\w+",name="shop",environment="prod",org="acme",kind="http",state="maintenance"\} 1$/m,
    );
    for (const line of text.trimEnd().split('\n'))
      assert.match(line, /^(?:# (?:HELP|TYPE) |fairlead_monitor_\w+\{[^\n]*\} -?[\d.]+$)/);
  });
});

describe('heartbeats of jobs', () => {
  let api: TestMonitor;
  let url: string;
  let id: string;
  before(async () => {
    api = await startMonitor();
    const check = { kind: 'heartbeat', periodSeconds: 3_600 };
    const { body } = await api.call('POST', '/api/monitors', { name: 'nightly', check }, MEMBER);
    ({ heartbeatUrl: url, id } = body.data);
  });
  after(() => api.stop());

  const path = (end = '') => new URL(url).pathname + end;
  const known = async () => (await api.heartbeats.find([id])).get(id);

  it('are kept before they are answered, by GET and by POST', async () => {
    for (const [method, end, signal] of [
      ['POST', '/start', 'start'],
      ['GET', '', 'done'],
      ['POST', '/fail', 'fail'],
    ] as const) {
      const { status, body } = await api.call(method, path(end), undefined, {});
      assert.deepEqual([status, body.data], [200, { ok: true }]);
      assert.ok((await known())?.[signal] instanceof Date, signal);
    }
  });

  it('show their address once, and no reply has the token or its hash later', async () => {
    const token = path().split('/').at(-1) ?? '';
    assert.match(token, /^[\w-]{43}$/);
    const { text } = await api.call('GET', `/api/monitors/${id}`, undefined, MEMBER);
    assert.ok(!text.includes(token) && !text.includes('tokenHash'));
  });

  it('leave their token in no line of the log, whatever the method and however the address ends', async () => {
    const token = path().split('/').at(-1) ?? '';
    const calls = [
      ['POST', path()],
      ['GET', path('/start')],
      ['PUT', path()],
      ['POST', path('/strat')],
      ['POST', path().replace('/api/heartbeats', '/API/Heartbeats')],
      ['POST', path().replace(token, `${token}x`)],
    ] as const;
    for (const [method, address] of calls) await api.call(method, address, undefined, {});
    const lines = () => api.logged.filter((line) => line.includes('/api/heartbeats/…'));
    await waitUntil('each of them is logged', () => lines().length >= calls.length);
    assert.deepEqual(
      api.logged.filter((line) => line.includes(token)),
      [],
    );
  });

  it('get another address: the one before goes on for the overlap that is asked for, and the one before that does not', async () => {
    let now = new Date('2026-11-01T10:00:00Z');
    const own = await startMonitor({ now: () => now });
    const made = await own.call(
      'POST',
      '/api/monitors',
      { name: 'job', check: { kind: 'heartbeat', periodSeconds: 60 } },
      MEMBER,
    );
    const monitor = made.body.data.id;
    const rotate = async (body: object = {}, caller = MEMBER) =>
      own.call('POST', `/api/monitors/${monitor}/rotate-token`, body, caller);
    const beat = async (address: string) => (await own.call('POST', new URL(address).pathname, undefined, {})).status;
    const first = made.body.data.heartbeatUrl;
    const { data } = (await rotate()).body;
    assert.equal(data.formerTokenUntil, '2026-11-02T10:00:00.000Z');
    assert.deepEqual([await beat(first), await beat(data.heartbeatUrl)], [200, 200]);
    now = new Date('2026-11-02T10:00:00Z');
    assert.deepEqual([await beat(first), await beat(data.heartbeatUrl)], [404, 200]);
    const second = (await rotate({ overlapHours: 1 })).body.data.heartbeatUrl;
    const third = (await rotate({ overlapHours: 1 })).body.data.heartbeatUrl;
    assert.deepEqual([await beat(data.heartbeatUrl), await beat(second), await beat(third)], [404, 200, 200]);
    const leaked = (await rotate({ overlapHours: 0 })).body.data;
    assert.deepEqual([await beat(third), await beat(leaked.heartbeatUrl), leaked.formerTokenUntil], [404, 200, null]);
    assert.equal((await rotate({ overlapHours: 169 })).status, 400);
    assert.equal((await rotate({}, as('user/acme/viewer'))).status, 403);
    assert.deepEqual(own.told().at(-1)?.eventType, 'monitor.token_rotated');
    const { text } = await own.call('GET', `/api/monitors/${monitor}`, undefined, MEMBER);
    assert.ok(!/tokenHash|formerToken/.test(text), text);
    await own.call('DELETE', `/api/monitors/${monitor}`, undefined, MEMBER);
    assert.equal((await rotate()).status, 409);
    await own.stop();
  });

  it('of a wrong token, of another monitor and of an archived one are the same 404, and are not kept', async () => {
    const before = await known();
    const other = await api.call(
      'POST',
      '/api/monitors',
      { name: 'db', check: { kind: 'tcp', host: 'a.example.com', port: 1 } },
      MEMBER,
    );
    const token = path().split('/').at(-1);
    const paths = [
      `/api/heartbeats/${id}/guessed`,
      `/api/heartbeats/${other.body.data.id}/${token}`,
      '/api/heartbeats/mon_x/y',
    ];
    const answers = await Promise.all(paths.map((one) => api.call('POST', one, undefined, {})));
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.error.message], [404, 'There is no heartbeat at this address']);
    }
    await api.call('DELETE', `/api/monitors/${id}`, undefined, MEMBER);
    assert.equal((await api.call('POST', path(), undefined, {})).status, 404);
    assert.deepEqual(await known(), before);
  });
});
