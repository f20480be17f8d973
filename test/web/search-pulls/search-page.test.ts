import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pullProperty } from '../../../activities/search-pulls/pull-property.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { ABANDONED, EMPTY_SUMMARY } from '../../../domain/search-pulls/pull-run.ts';
import { changeOf, changeOfPosition, changeOfShare } from '../../../web/search-pulls/number-words.ts';
import { property } from '../../ports/properties/property-store.ts';
import { dayOf, pullRun } from '../../ports/search-pulls/records.ts';
import { type ConsoleOnSiteRegistry, startConsoleOnSiteRegistry } from '../../support/console-on-site-registry.ts';
import { submitted, wordsOf } from '../../support/console-people.ts';
import { createInMemoryPullCommands } from '../../support/in-memory/search-pull-commands.ts';
import { createSearchPullsParts } from '../../support/in-memory/search-pulls-parts.ts';

const PAGE = '/properties/shop.com/search';

describe('the page of search numbers', () => {
  let on: ConsoleOnSiteRegistry;
  const commands = createInMemoryPullCommands();
  const parts = createSearchPullsParts();
  before(async () => {
    const { rows: searchRows, windows: searchWindows, runs: pullRuns } = parts.deps;
    on = await startConsoleOnSiteRegistry({ searchRows, searchWindows, pullRuns, pullCommands: commands });
    for (const domain of ['shop.com', 'quiet.com', 'loud.com']) {
      const bare = property({ domain });
      await on.site.properties.insert({ ...bare, verification: { ...bare.verification, state: 'verified' } });
    }
    await on.site.properties.insert(property({ domain: 'new.com' }));
    parts.add('shop.com', { since: '2026-01-01', rows: { query: 400 }, silentDays: 1 });
    const job = { property: 'shop.com', since: parts.clock.now.toISOString() };
    await pullProperty(parts.deps, job, new AbortController().signal);
  });
  after(() => on.stop());
  const words = async (path: string): Promise<string> => wordsOf((await on.root.get(path)).text);
  const numbers = async (query = '') => (await on.site.call('GET', `/api/search/shop.com?${query}`)).body.data;

  it('shows the totals with how they differ, and four charts of the days', async () => {
    const { status, text } = await on.root.get(PAGE);
    assert.equal(status, 200);
    const { totals, from, to } = await numbers();
    const said = wordsOf(text);
    assert.match(said, new RegExp(`${from} to ${to}, by days in Pacific time\\. Final through ${to}`));
    assert.match(said, new RegExp(`Clicks ${totals.clicks.toLocaleString('en-GB').replaceAll(',', ' ')} `));
    assert.match(said, /(more|fewer) than in the 28 days before/);
    for (const title of ['Clicks', 'Impressions', 'Click rate', 'Mean position']) {
      assert.match(text, new RegExp(`role="img" aria-label="${title} by day: between `));
    }
    assert.equal(text.match(/class="chart-line"/g)?.length, 4);
    assert.match(said, /The days as a table .*2026-06-14 /);
  });

  it('shows the first rows of each table, and more where they are asked for', async () => {
    const { text } = await on.root.get(PAGE);
    const { queries } = await numbers('limit=11');
    for (const { key } of queries.slice(0, 10)) assert.ok(text.includes(`>${key}<`), key);
    assert.ok(!text.includes(`>${queries[10].key}<`));
    const [, more = ''] = /href="([^"]+)#queries"/.exec(text) ?? [];
    const all = await on.root.get(more.replaceAll('&amp;', '&'));
    assert.ok(all.text.includes(`>${queries[10].key}<`));
    assert.doesNotMatch(all.text, /#queries"/);
    assert.match(text, /class="external" href="https:\/\/www\.site-\d+\.example\/pages\//);
    assert.match(wordsOf(text), /Countries .*DEU .*Devices .*Desktop/);
  });

  it('shows other windows, a range, and other types of search by addresses of their own', async () => {
    assert.match(await words(`${PAGE}?days=7`), /2026-06-08 to 2026-06-14/);
    assert.match(await words(`${PAGE}?days=90`), /than in the 90 days before/);
    const range = await on.root.get(`${PAGE}?from=2026-06-10&to=2026-06-17&type=web`);
    assert.match(wordsOf(range.text), /2026-06-10 to 2026-06-17.*still counted/);
    assert.match(range.text, /value="2026-06-10"/);
    assert.match(await words(`${PAGE}?type=image`), /Nothing is stored of this time|No search numbers yet/);
    for (const query of ['days=30', 'from=2026-06-31', 'type=maps', 'rows=11', 'from=2026-06-10']) {
      assert.equal((await on.root.get(`${PAGE}?${query}`)).status, 400, query);
    }
  });

  it('shows what anybody searched for, and any address, as text', async () => {
    const numbersOf = { clicks: 1, impressions: 2, position: 3 };
    const rows = {
      query: [{ key: '<script>alert(1)</script>\u202eexe', ...numbersOf }],
      page: ['javascript:alert(2)', 'https://shop.com/"><img src=x>'].map((key) => ({ key, ...numbersOf })),
    };
    const { period, parts: stored } = dayOf({ property: 'loud.com', type: 'web' }, rows, { period: '2026-06-10' });
    await on.site.searchRows.write({ ...period, totals: numbersOf }, stored);
    const { text } = await on.root.get('/properties/loud.com/search?from=2026-06-10&to=2026-06-10');
    assert.match(text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;⟦U\+202E⟧exe/);
    assert.doesNotMatch(text, /<script>alert|<img src=x|href="javascript:/);
    assert.match(text, />javascript:alert\(2\)</);
  });

  it('says why there is nothing of a domain that is new, or not verified', async () => {
    assert.match(await words('/properties/quiet.com/search'), /pulled daily at 11:20 UTC/);
    assert.match(await words('/properties/new.com/search'), /verified domains alone\. Verify it/);
    assert.equal((await on.root.get('/properties/none.com/search')).status, 404);
  });

  it('pulls one domain while the person waits, and says what was stored or why not', async () => {
    const action = '/properties/shop.com/pull';
    assert.match(wordsOf(await submitted(on.root, PAGE, action)), /120 rows of 3 days are stored/);
    const { pull } = commands;
    commands.pull = async () => null;
    assert.match(wordsOf(await submitted(on.root, PAGE, action)), /The pull of shop\.com goes on/);
    commands.pull = async () => {
      throw new FairleadError('GOOGLE_NOT_CONFIGURED', 'Set GOOGLE_APPLICATION_CREDENTIALS');
    };
    assert.match(wordsOf(await submitted(on.root, PAGE, action)), /Set GOOGLE_APPLICATION_CREDENTIALS/);
    commands.pull = pull;
  });

  it('pulls all in the background, and shows how that ends', async () => {
    const sent = await on.root.submit('/properties', '/properties/pull');
    const page = sent.headers.get('location') ?? '';
    assert.match(await words(page), /Pull of search numbers Runs .*Somebody asked for it/);
    const again = await submitted(on.root, '/properties', '/properties/pull');
    assert.match(wordsOf(again), /A search pull is running/);
    commands.end();
    const failures = [{ domain: 'new.com', code: 'GOOGLE_PERMISSION', message: 'no access' }];
    const summary = { ...EMPTY_SUMMARY, properties: 2, pulled: 1, failed: 1, rows: 7, days: 2, failures };
    const done = pullRun({ status: 'done', summary, finishedAt: new Date(), trigger: 'cron', requestedBy: 'schedule' });
    const left = pullRun({ status: 'failed', error: ABANDONED, abandoned: true, finishedAt: new Date() });
    await on.site.pullRuns.insert(done);
    await on.site.pullRuns.insert(left);
    const said = await words(`/properties/jobs/${done.id}`);
    assert.match(said, /by the schedule .*1 of 2 pulled, 1 failed .*7 rows of 2 days .*new\.com no access/);
    assert.match(await words(`/properties/jobs/${left.id}`), /Failed .*PULL_ABANDONED/);
  });

  it('is for super admins alone', async () => {
    assert.equal((await on.ann.get(PAGE)).status, 403);
    for (const form of ['/properties/pull', '/properties/shop.com/pull']) {
      assert.equal((await on.ann.submit('/orgs', form)).status, 403, form);
    }
  });
});

describe('how numbers differ from those before', () => {
  for (const [said, expected] of [
    [changeOf(112, 100), '12 % more than'],
    [changeOf(90, 100), '10 % fewer than'],
    [changeOf(100, 100), 'as many as'],
    [changeOf(5, 0), null],
    [changeOfShare(0.042, 0.05), '0.8 points less than'],
    [changeOfShare(0.05, 0.05), 'the same as'],
    [changeOfPosition(3.2, 4), '0.8 better than'],
    [changeOfPosition(4.2, 4), '0.2 worse than'],
    [changeOfPosition(4, 0), null],
  ] as const) {
    it(String(expected), () => assert.equal(said, expected));
  }
});
