import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pullProperty } from '../../../activities/search-pulls/pull-property.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { Property } from '../../../domain/properties/property.ts';
import { ABANDONED, EMPTY_SUMMARY } from '../../../domain/search-pulls/pull-run.ts';
import { property } from '../../ports/properties/property-store.ts';
import { pullRun } from '../../ports/search-pulls/records.ts';
import { createInMemoryPullCommands } from '../../support/in-memory/search-pull-commands.ts';
import { createSearchPullsParts } from '../../support/in-memory/search-pulls-parts.ts';
import { READER, SYNCER, startSiteRegistry, type TestSiteRegistry } from '../../support/start-site-registry.ts';

const verified = (domain: string): Property => {
  const bare = property({ domain });
  return { ...bare, verification: { ...bare.verification, state: 'verified', verifiedAt: bare.createdAt } };
};

describe('search numbers and pulls over HTTP', () => {
  let registry: TestSiteRegistry;
  const commands = createInMemoryPullCommands();
  const parts = createSearchPullsParts();
  before(async () => {
    const { rows: searchRows, windows: searchWindows, runs: pullRuns } = parts.deps;
    registry = await startSiteRegistry({ searchRows, searchWindows, pullRuns, pullCommands: commands });
    for (const domain of ['shop.com', 'quiet.com']) await registry.properties.insert(verified(domain));
    await registry.properties.insert(property({ domain: 'new.com' }));
    const ignored = { by: 'person', actor: 'usr_ada', reason: null, at: new Date() } as const;
    await registry.properties.insert({ ...verified('old.com'), ignored });
    parts.add('shop.com', { since: '2026-01-01', rows: { query: 40 } });
    const job = { property: 'shop.com', since: parts.clock.now.toISOString() };
    await pullProperty(parts.deps, job, new AbortController().signal);
  });
  after(() => registry?.stop());
  const get = async (path: string, headers: Readonly<Record<string, string>> = READER) => {
    const { status, body } = await registry.call('GET', path, undefined, headers);
    return { status, data: body.data, error: body.error };
  };

  it('shows totals with the period before, the days, and the first rows of each table', async () => {
    const { status, data } = await get(
      '/api/search/https://www.shop.com/x?days=7&limit=5'.replace('https://www.shop.com/x', 'www.shop.com'),
    );
    assert.equal(status, 200);
    assert.deepEqual([data.domain, data.days, data.from, data.to], ['shop.com', 7, '2026-06-08', '2026-06-14']);
    assert.deepEqual([data.prior.from, data.prior.to, data.prior.storedDays], ['2026-06-01', '2026-06-07', 7]);
    assert.equal(data.daily.length, 7);
    const clicks = data.daily.reduce((sum: number, day: { clicks: number }) => sum + day.clicks, 0);
    assert.equal(data.totals.clicks, clicks);
    assert.ok(Math.abs(data.totals.ctr - data.totals.clicks / data.totals.impressions) < 1e-12);
    for (const table of ['queries', 'pages', 'countries', 'devices', 'searchAppearances']) {
      assert.ok(data[table].length > 0 && data[table].length <= 5, table);
      assert.equal(data.truncatedDays[table], 0);
      const order = data[table].map((row: { clicks: number }) => row.clicks);
      assert.deepEqual(
        order,
        order.toSorted((a: number, b: number) => b - a),
      );
    }
    assert.equal(data.finalThrough, '2026-06-14');
  });

  it('answers a range with the same numbers as the window of the same days', async () => {
    for (const days of [7, 28, 90]) {
      const window = (await get(`/api/search/shop.com?days=${days}&limit=1000`)).data;
      const range = (await get(`/api/search/shop.com?from=${window.from}&to=${window.to}&limit=1000`)).data;
      assert.deepEqual({ ...range, days }, window);
    }
    assert.equal((await get('/api/search/shop.com')).data.days, 28);
  });

  it('shows the days of a range that are not final as such', async () => {
    const { data } = await get('/api/search/shop.com?from=2026-06-13&to=2026-06-17');
    const days = data.daily.map(({ day, isFinal }: { day: string; isFinal: boolean }) => `${day} ${isFinal}`);
    assert.deepEqual(days, ['2026-06-13 true', '2026-06-14 true', '2026-06-15 false', '2026-06-16 false']);
  });

  it('shows zeros of a property that was never pulled, and of another type of search', async () => {
    for (const path of ['/api/search/quiet.com?days=28', '/api/search/shop.com?type=image']) {
      const { status, data } = await get(path);
      assert.deepEqual([status, data.totals.impressions, data.daily, data.queries], [200, 0, [], []]);
      assert.equal(data.finalThrough, null);
    }
  });

  it('refuses what is no window, no range, and no property', async () => {
    for (const query of [
      'days=30',
      'from=2026-06-01',
      'from=2026-06-02&to=2026-06-01',
      'from=2026-02-30&to=2026-03-01',
      'days=7&from=2026-06-01&to=2026-06-02',
      'from=2020-01-01&to=2026-01-01',
      'from=0000-01-01&to=0000-01-02',
      'limit=0',
      'limit=1001',
      'type=maps',
      'page=1',
    ]) {
      const { status, error } = await get(`/api/search/shop.com?${query}`);
      assert.deepEqual([status, error.code], [400, 'VALIDATION_FAILED'], query);
    }
    assert.deepEqual([(await get('/api/search/nobody.com')).status], [404]);
  });

  it('lets readers read and syncers pull, and nobody else', async () => {
    const foreign = { 'x-test-user': 'member' };
    assert.deepEqual(
      [(await get('/api/search/shop.com', {})).status, (await get('/api/search/shop.com', foreign)).status],
      [401, 403],
    );
    assert.equal((await get('/api/search/shop.com', SYNCER)).status, 403);
    for (const [headers, status] of [
      [{}, 401],
      [READER, 403],
      [foreign, 403],
    ] as const) {
      assert.equal((await registry.call('POST', '/api/search/pull', undefined, headers)).status, status);
    }
  });

  it('starts a pull of all and shows it as a job; a second one is refused with its id', async () => {
    const { status, body } = await registry.call('POST', '/api/search/pull', undefined, SYNCER);
    const { jobId } = body.data;
    assert.deepEqual([status, body.data], [202, { jobId, status: 'running', poll: `/api/jobs/${jobId}` }]);
    const second = await registry.call('POST', '/api/search/pull', {}, SYNCER);
    assert.deepEqual(
      [second.status, second.body.error.code, second.body.error.details],
      [409, 'PULL_IN_PROGRESS', { jobId }],
    );
    const one = await registry.call('POST', '/api/search/pull', { domain: 'shop.com' }, SYNCER);
    assert.deepEqual([one.status, one.body.error.details], [409, { jobId }]);
    const job = (await get(`/api/jobs/${jobId}`)).data;
    assert.deepEqual(
      [job.kind, job.status, job.trigger, job.summary, job.error, job.abandoned],
      ['search-pull', 'running', 'manual', null, null, false],
    );
    assert.equal(job.requestedBy, 'portal-prod');
    commands.end();
  });

  it('shows how a pull ended, also one that was abandoned', async () => {
    const summary = {
      ...EMPTY_SUMMARY,
      properties: 2,
      pulled: 1,
      failed: 1,
      rows: 7,
      failures: [{ domain: 'a.com', code: 'GOOGLE_PERMISSION', message: 'no' }],
    };
    const done = pullRun({ status: 'done', summary, finishedAt: new Date('2026-06-17T19:00:00Z'), trigger: 'cron' });
    const left = pullRun({ status: 'failed', error: ABANDONED, abandoned: true });
    await registry.pullRuns.insert(done);
    await registry.pullRuns.insert(left);
    assert.deepEqual((await get(`/api/jobs/${done.id}`)).data.summary, summary);
    const { status, abandoned, error } = (await get(`/api/jobs/${left.id}`)).data;
    assert.deepEqual([status, abandoned, error], ['failed', true, ABANDONED]);
    assert.equal((await get('/api/jobs/spr_nobody')).status, 404);
  });

  it('pulls one property while the caller waits, and says what was stored', async () => {
    const { status, body } = await registry.call(
      'POST',
      '/api/search/pull',
      { domain: 'https://www.shop.com/a' },
      SYNCER,
    );
    assert.deepEqual([status, body.data], [200, { domain: 'shop.com', days: 3, rows: 120, truncatedDays: 0 }]);
  });

  it('takes no pull that no worker could carry out, and says what a worker needs for it', async () => {
    commands.served = false;
    for (const body of [undefined, { domain: 'shop.com' }]) {
      const { status, body: reply } = await registry.call('POST', '/api/search/pull', body, SYNCER);
      assert.deepEqual([status, reply.error.code], [503, 'GOOGLE_NOT_CONFIGURED']);
      assert.match(reply.error.message, /GOOGLE_APPLICATION_CREDENTIALS/);
    }
    commands.served = true;
    assert.equal(await commands.holder(), undefined);
  });

  it('tells why one property is not pulled', async () => {
    const pull = async (domain: string) => {
      const { status, body } = await registry.call('POST', '/api/search/pull', { domain }, SYNCER);
      return [status, body.error.code];
    };
    assert.deepEqual(await pull('nobody.com'), [404, 'NOT_FOUND']);
    assert.deepEqual(await pull('new.com'), [502, 'GOOGLE_PERMISSION']);
    assert.deepEqual(await pull('old.com'), [409, 'PROPERTY_IGNORED']);
    assert.deepEqual(await pull('no domain'), [400, 'VALIDATION_FAILED']);
    const { pull: usual } = commands;
    commands.pull = async () => null;
    assert.deepEqual(await pull('shop.com'), [503, 'UNAVAILABLE']);
    commands.pull = async () => {
      throw new FairleadError('GOOGLE_NOT_CONFIGURED', 'Set GOOGLE_APPLICATION_CREDENTIALS');
    };
    assert.deepEqual(await pull('shop.com'), [503, 'GOOGLE_NOT_CONFIGURED']);
    commands.pull = usual;
  });
});
