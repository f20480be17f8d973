import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { keepSnapshots } from '../../../api/status-page/keep-snapshots.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { changelogOf as changelog, startStatusPage as start } from '../../support/start-status-page.ts';
import { waitUntil } from '../../support/wait-until.ts';

const DAY_MS = 86_400_000;
const SCRIPT = '<script>alert(1)</script>';

describe('the public status page', () => {
  it('needs no login and no script, runs none, and may be kept for a moment', async (t) => {
    const api = await start(t);
    await api.up(await api.register('shop'));
    const { status, text, headers } = await api.get('/');
    assert.equal(status, 200);
    assert.ok(!/<script|javascript:|onclick=/i.test(text));
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'; style-src 'sha256-/);
    assert.match(headers.get('cache-control') ?? '', /^public, max-age=/);
    assert.match(text, /All services are up/);
  });

  it('names states in words, and is good only when everything was seen to be up', async (t) => {
    const api = await start(t);
    const [shop, mail] = [await api.register('shop'), await api.register('mail')];
    await api.up(shop);
    const pending = (await api.get('/')).text;
    assert.match(pending, /Not checked yet/);
    assert.doesNotMatch(pending, /All services are up|class="overall none"/);
    await api.report(mail, { verdict: { verdict: 'down', since: Date.now(), run: null }, seenAt: Date.now() });
    const { body } = await api.get('/api/pulse/status');
    // The page is read once in some seconds; what it is made of says it now.
    assert.equal(body.data.monitors.length, 2);
  });

  it('shows what is public of its own org alone: no other org, nothing private, nobody who acted, nothing of the inside', async (t) => {
    const api = await start(t);
    const shop = await api.register('shop');
    await api.register('rival-shop', { org: 'rival' });
    const hidden = await api.register('internal-tool');
    await api.call('PATCH', `/api/monitors/${hidden}`, { isPublic: false });
    await api.register('sandboxed', { environment: 'sandbox' });
    const begin = (id: string, isPublic: boolean, title: string) =>
      api.incidentCommands.begin({
        ...{ id, org: 'platform', monitorId: shop, sequence: 1, title, isPublic },
        ...{ cause: 'refused 10.0.0.7:5432', startedAt: new Date().toISOString() },
      });
    await begin('inc_a', true, 'shop (prod, https://shop.example.com/?key=s3cret)');
    await begin('inc_b', false, 'secret outage');
    await api.incidentCommands.update('inc_a', {
      at: new Date().toISOString(),
      status: 'identified',
      body: 'A full disk',
      by: 'usr_ann',
    });
    const { text } = await api.get('/');
    assert.match(text, /Outage of shop[\s\S]*A full disk/);
    for (const word of ['rival', 'internal-tool', 'sandboxed', 'secret outage', 'usr_ann', '10.0.0.7', 's3cret']) {
      assert.ok(!text.includes(word), word);
    }
    const { text: json } = await api.get('/api/v2/incidents.json');
    for (const word of ['secret outage', 'usr_ann', '10.0.0.7', 's3cret']) assert.ok(!json.includes(word), word);
    assert.match((await api.get('/status/rival')).text, /rival-shop/);
  });

  it('shows an incident for as long as its monitor is shown: once that is hidden, neither the page nor the JSON has it', async (t) => {
    const api = await start(t);
    const shop = await api.register('shop');
    await api.register('mail');
    const facts = { org: 'platform', monitorId: shop, sequence: 1, title: 'shop', isPublic: true, cause: null };
    await api.incidentCommands.begin({ ...facts, id: 'inc_a', startedAt: new Date().toISOString() });
    await api.incidentCommands.resolve('inc_a', { at: new Date().toISOString(), by: null, note: null });
    await api.incidentCommands.begin({ ...facts, id: 'inc_b', sequence: 2, startedAt: new Date().toISOString() });
    await api.call('PATCH', `/api/monitors/${shop}`, { isPublic: false });
    for (const path of ['/', '/api/v2/incidents.json', '/api/v2/summary.json']) {
      const { status, text } = await api.get(path);
      assert.equal(status, 200);
      assert.ok(!/shop|inc_a|inc_b/.test(text), path);
    }
  });

  it('escapes what people wrote, in notes, titles and badges', async (t) => {
    const notes = `# ${SCRIPT}\n\n- \`${SCRIPT}\` [x](javascript:alert(1)) ${SCRIPT}`;
    const found = changelog('shop', { notes, version: SCRIPT, walkthroughUrl: 'javascript:alert(1)' });
    const api = await start(t, { changes: { changelogs: { find: async () => found } } });
    await api.register('shop');
    const start_ = { id: 'inc_x', org: 'platform', monitorId: null, sequence: null, isPublic: true };
    await api.incidentCommands.begin({ ...start_, title: SCRIPT, cause: SCRIPT, startedAt: new Date().toISOString() });
    for (const path of ['/', '/changelog/shop']) {
      const { text } = await api.get(path);
      assert.match(text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/, path);
      assert.ok(!text.includes('<script') && !text.includes('href="javascript:'), path);
    }
  });

  it('takes no address from the request: its links are the same whatever host it is asked at', async (t) => {
    const api = await start(t);
    await api.register('shop');
    const { text } = await api.get('/api/v2/summary.json', {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
    });
    assert.ok(!text.includes('evil.example'));
    assert.ok(text.includes(api.address));
    assert.ok(!(await api.get('/', { 'x-forwarded-host': 'evil.example' })).text.includes('evil.example'));
  });

  it('is at most 40 KiB long with the most that there can be, and says what is left out', async (t) => {
    const name = (index: number): string => `service-${String(index).padStart(2, '0')}-`.padEnd(40, 'x');
    const long = Array.from({ length: 60 }, (_, index) => `- ${index} ${'change '.repeat(40)}`).join('\n');
    const find = async (service: string) => changelog(service, { notes: long });
    const api = await start(t, { changes: { changelogs: { find } } });
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    for (let index = 0; index < 25; index += 1) {
      const id = await api.register(name(index));
      const days = Array.from({ length: 90 }, (_, day) => ({
        ...({ monitorId: id, length: '1d', startsAt: new Date(today - (day + 1) * DAY_MS) } as const),
        ...{
          upMs: DAY_MS / 2,
          degradedMs: day % 3 === 0 ? 60_000 : 0,
          downMs: day % 2 === 0 ? 60_000 : 0,
          maintenanceMs: 0,
        },
        ...{ checks: 10, failed: 1, latency: [] },
      }));
      await api.rollUps.write(days);
    }
    for (let index = 0; index < 20; index += 1) {
      const incident = { id: `inc_${index}`, org: 'platform', monitorId: null, sequence: null, isPublic: true };
      const startedAt = new Date().toISOString();
      await api.incidentCommands.begin({ ...incident, title: '<'.repeat(200), cause: '"'.repeat(2_000), startedAt });
    }
    for (const path of ['/', '/?page=2']) {
      const { text, status } = await api.get(path);
      assert.equal(status, 200);
      assert.ok(Buffer.byteLength(text) <= 40 * 1024, `${path} has ${Buffer.byteLength(text)} bytes`);
    }
    const { text } = await api.get('/');
    assert.match(text, /Page 1 of 2/);
    assert.match(text, /And \d+ more\./);
    assert.equal((await api.get('/?page=3')).status, 404);
  });

  it('shows changelogs live, and leaves the section out where the registry is away or takes more than a second', async (t) => {
    const notes = Array.from({ length: 30 }, (_, index) => `- change ${index}`).join('\n');
    const api = await start(t, { changes: { changelogs: { find: async () => changelog('shop', { notes }) } } });
    await api.register('shop');
    const { text } = await api.get('/');
    assert.match(text, /What’s new[\s\S]*change 19/);
    assert.ok(!text.includes('change 20'));
    assert.match(text, /<a href="\/changelog\/shop">All of it<\/a>/);
    assert.match((await api.get('/changelog/shop')).text, /change 29/);
    for (const find of [
      () => Promise.reject(new FairleadError('UNAVAILABLE', 'away')),
      (_service: string, signal: AbortSignal) => delay(60_000, null, { signal, ref: false }),
    ]) {
      const without = await start(t, { changes: { changelogs: { find } } });
      await without.register('shop');
      const begun = performance.now();
      const page = await without.get('/');
      assert.equal(page.status, 200);
      assert.ok(performance.now() - begun < 20_000);
      assert.ok(!page.text.includes('What’s new') && page.text.includes('<strong>shop</strong>'));
    }
  });

  it('answers with a copy that says of when it is, and looks good nowhere, while the database is away', async (t) => {
    let isAway = false;
    const api = await start(t);
    const list = (...given: Parameters<typeof api.monitors.list>) =>
      isAway ? Promise.reject(new FairleadError('UNAVAILABLE', 'The database is away')) : api.monitors.list(...given);
    const stopping = new AbortController();
    const clock = { ms: 0 };
    const changes = { ...api.deps, monitors: { ...api.monitors, list }, monotonicMs: () => clock.ms };
    const shown = await start(t, { changes });
    await api.up(await api.register('shop'));
    const log = { warn: () => undefined };
    const kept = keepSnapshots({ ...shown.deps, log }, shown.reader, stopping.signal, 5);
    t.after(() => stopping.abort());
    await waitUntil('the page is kept', () => shown.deps.snapshots.find('platform'));
    stopping.abort();
    await kept;
    isAway = true;
    // The page that is shared by those who look at once is a few seconds old at most.
    clock.ms = 5_000;
    const { status, text, headers } = await shown.get('/');
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.match(text, /<body class="stale">/);
    assert.match(text, /As of <time datetime="[^"]+">[^<]+<\/time>\. The uptime monitor does not answer now/);
    assert.match(text, /was: Up/);
    assert.ok(!/All services are up|class="overall none"|✓/.test(text));
    assert.equal((await shown.get('/status/rival')).status, 503, 'no copy of it is kept');
  });
});

describe('the JSON of Statuspage', () => {
  it('has the state, components with their groups, and open incidents, bare and for pages of every origin', async (t) => {
    const api = await start(t);
    const [shop, mail] = [await api.register('shop'), await api.register('mail')];
    await api.up(mail);
    await api.report(shop, { verdict: { verdict: 'down', since: Date.now(), run: null }, seenAt: Date.now() });
    const startedAt = new Date().toISOString();
    const incident = {
      id: 'inc_s',
      org: 'platform',
      monitorId: shop,
      sequence: 1,
      isPublic: true,
      cause: 'x',
      startedAt,
    };
    await api.incidentCommands.begin({ ...incident, title: 'shop is down' });
    const { body, headers } = await api.get('/api/v2/summary.json');
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.deepEqual(body.status, { indicator: 'major', description: 'Partial outage' });
    assert.deepEqual(
      body.components.map(({ name, status, group }: Record<string, unknown>) => [name, status, group]),
      [
        ['Production', 'partial_outage', true],
        ['mail', 'operational', false],
        ['shop', 'major_outage', false],
      ],
    );
    const [first] = body.incidents;
    assert.deepEqual([first.name, first.status, first.impact], ['Outage of shop', 'investigating', 'major']);
    assert.deepEqual(
      first.components.map(({ id }: { id: string }) => id),
      [shop],
    );
    assert.deepEqual((await api.get('/api/v2/status.json')).body.status, body.status);
    assert.equal((await api.get('/api/v2/incidents/unresolved.json')).body.incidents.length, 1);
    assert.deepEqual((await api.get('/api/v2/scheduled-maintenances.json')).body.scheduled_maintenances, []);
  });
});

describe('badges', () => {
  it('say the state of a public monitor, and that there is none for any other', async (t) => {
    const api = await start(t);
    const shop = await api.register('shop');
    await api.up(shop);
    const state = await api.get(`/badges/${shop}/state.svg`);
    assert.deepEqual([state.status, state.headers.get('content-type')], [200, 'image/svg+xml; charset=utf-8']);
    assert.match(state.text, /aria-label="shop: up"/);
    assert.match((await api.get(`/badges/${shop}/uptime.svg`)).text, /shop: no data \(90 d\)/);
    const hidden = await api.register('hidden', { environment: 'uat' });
    for (const id of [hidden, 'mon_none']) assert.equal((await api.get(`/badges/${id}/state.svg`)).status, 404);
  });
});
