import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { pullProperty } from '../../../activities/search-pulls/pull-property.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { ROW_DIMENSIONS } from '../../../domain/search-pulls/dimensions.ts';
import { addDays, daysOf } from '../../../domain/search-pulls/pacific-day.ts';
import { readRange } from '../../../domain/search-pulls/read-range.ts';
import { compareRows } from '../../../domain/search-pulls/search-rows.ts';
import type { StoredPeriod } from '../../../domain/search-pulls/stored-period.ts';
import { readRows, rowsOf } from '../../ports/search-pulls/records.ts';
import { allStoredRows } from '../../support/all-stored-rows.ts';
import { createSearchPullsParts, type SearchPullsParts } from '../../support/in-memory/search-pulls-parts.ts';
import { rowsOfDay, type SiteTraffic } from '../../vendors/google/search-traffic.ts';

const SERIES = { property: 'shop.com', type: 'web' } as const;
const EVER = { from: '2025-01-01', to: '2027-01-01' };
const TODAY = '2026-06-17';

describe('a pull of a property', () => {
  let parts: SearchPullsParts;
  beforeEach(() => {
    parts = createSearchPullsParts();
  });
  const pull = (since = parts.clock.now, domain = 'shop.com') =>
    pullProperty(parts.deps, { property: domain, since: since.toISOString() }, new AbortController().signal);
  const traffic = (): SiteTraffic => {
    const known = parts.deps.analytics.sites.get('sc-domain:shop.com');
    assert.ok(known);
    return known;
  };
  const stored = () => allStoredRows(parts.deps.rows, SERIES);

  it('stores each row of each dimension of each day that the search engine has, and no other', async () => {
    parts.add('shop.com', { silentDays: 2 });
    const { isWhole, rows } = await pull();
    const days = await parts.deps.rows.days(SERIES, EVER);
    let expected = 0;
    for (const period of days) {
      const share = { [addDays(TODAY, -1)]: 0.3, [addDays(TODAY, -2)]: 0.7, [TODAY]: 0 }[period.period] ?? 1;
      for (const dimension of ROW_DIMENSIONS) {
        const wanted = rowsOfDay(traffic(), period.period, { type: 'web', dimension, share });
        expected += wanted.length;
        const pulled = await readRows(parts.deps.rows, period, dimension);
        assert.deepEqual(
          pulled.map(({ key, ...numbers }) => ({ keys: [key], ...numbers })),
          wanted.map(({ ctr, ...row }) => row).sort((a, b) => ((a.keys[0] ?? '') < (b.keys[0] ?? '') ? -1 : 1)),
        );
      }
    }
    assert.equal(isWhole, true);
    assert.equal(rows, expected);
    assert.ok(expected > 900, `${expected} rows`);
    // Sixteen months, days without a search among them, but for those that may get numbers yet.
    assert.equal(days[0]?.period, '2025-02-17');
    assert.equal(days.length, daysOf({ from: '2025-02-17', to: addDays(TODAY, -1) }).length - silentLately(traffic()));
  });

  /** Days that are not final, and had no search so far: nothing is known of them. */
  const silentLately = (of: SiteTraffic): number =>
    [addDays(TODAY, -1), addDays(TODAY, -2)].filter(
      (day) => rowsOfDay(of, day, { type: 'web', dimension: 'date', share: 1 }).length === 0,
    ).length;

  it('asks for no rows of days on which nobody searched', async () => {
    parts.add('shop.com', { since: '2026-06-10' });
    await pull();
    const { asked } = parts.deps.analytics;
    assert.ok(asked.every((line) => line.includes(' date ') || line > 'sc-domain:shop.com 2026-06-10'));
    assert.equal(asked.filter((line) => line.includes(' date ')).length, 2);
  });

  it('pulls days that are not final again each time until they are, and final ones never', async () => {
    parts.add('shop.com', { since: '2026-06-01' });
    await pull();
    const before = parts.deps.analytics.asked.length;
    parts.goTo(new Date('2026-06-18T18:00:00Z'));
    const { days } = await pull();
    const asked = new Set(parts.deps.analytics.asked.slice(before).map((line) => line.split(' ')[1]));
    assert.deepEqual([...asked].sort(), ['2026-06-15', '2026-06-16', '2026-06-17', '2026-06-18']);
    assert.equal(days, 3);
    parts.goTo(new Date('2026-06-25T18:00:00Z'));
    await pull();
    const all = await stored();
    const fresh = createSearchPullsParts();
    fresh.add('shop.com', { since: '2026-06-01' });
    fresh.goTo(parts.clock.now);
    await pullProperty(
      fresh.deps,
      { property: 'shop.com', since: fresh.clock.now.toISOString() },
      new AbortController().signal,
    );
    // What was pulled in three goes is what one go has, which finds fewer old days.
    const wanted = await allStoredRows(fresh.deps.rows, SERIES);
    assert.deepEqual(all.slice(-wanted.length), wanted);
    assert.ok(wanted.length > 400);
  });

  it('reads pages until one is without rows, also where they are shorter than they could be', async () => {
    parts.add('shop.com', { since: '2026-06-12', rows: { query: 40 } });
    await pull();
    const whole = await stored();
    const again = createSearchPullsParts();
    again.add('shop.com', { since: '2026-06-12', rows: { query: 40 } });
    again.deps.analytics.pageRows = 7;
    await pullProperty(
      again.deps,
      { property: 'shop.com', since: again.clock.now.toISOString() },
      new AbortController().signal,
    );
    assert.deepEqual(await allStoredRows(again.deps.rows, SERIES), whole);
    const pages = again.deps.analytics.asked.filter((line) => line.includes('2026-06-12 query'));
    assert.ok(pages.length >= 4, pages.join());
  });

  it('that is made twice within one pull reads nothing the second time', async () => {
    parts.add('shop.com');
    const since = parts.clock.now;
    await pull(since);
    const [all, asked] = [await stored(), parts.deps.analytics.asked.length];
    const { days } = await pull(since);
    // What has no numbers yet is asked for by its totals alone.
    assert.ok(parts.deps.analytics.asked.slice(asked).every((line) => line.includes(' date ')));
    assert.equal(days, 0);
    assert.deepEqual(await stored(), all);
  });

  it('ends when its time is over, and the next attempt goes on where it ended', async () => {
    parts.add('shop.com');
    parts.settings.attemptMs = -1;
    const since = parts.clock.now;
    assert.deepEqual(await pull(since), { days: 0, rows: 0, truncatedDays: 0, isWhole: false });
    assert.deepEqual(await parts.deps.pulled.notPulledSince(['shop.com'], since), ['shop.com']);
    parts.settings.attemptMs = 600_000;
    assert.equal((await pull(since)).isWhole, true);
    assert.deepEqual(await parts.deps.pulled.notPulledSince(['shop.com'], since), []);
  });

  it('that fails at any request ends with the rows of one that did not, after another attempt', async () => {
    parts.add('shop.com', { since: '2026-05-20', silentDays: 1 });
    await pull();
    const whole = await stored();
    const requests = parts.deps.analytics.asked.length;
    for (let at = 1; at <= requests; at += 13) {
      const again = createSearchPullsParts();
      again.add('shop.com', { since: '2026-05-20', silentDays: 1 });
      const job = { property: 'shop.com', since: again.clock.now.toISOString() };
      again.deps.analytics.fault = () => {
        if (again.deps.analytics.asked.length < at) return;
        again.deps.analytics.fault = null;
        throw new FairleadError('UNAVAILABLE', 'Google answered 503', { retryable: true });
      };
      await assert.rejects(pullProperty(again.deps, job, new AbortController().signal), { code: 'UNAVAILABLE' });
      await pullProperty(again.deps, job, new AbortController().signal);
      assert.deepEqual(await allStoredRows(again.deps.rows, SERIES), whole, `at request ${at}`);
    }
  });

  it('that is broken off within any write leaves nothing behind, after another attempt', async () => {
    const traffic = { since: '2026-04-28', silentDays: 1, rows: { query: 3_000 } };
    parts.add('shop.com', traffic);
    await pull();
    const [whole, wanted] = [await stored(), parts.deps.rows.partCount('shop.com')];
    const withRows = ({ dimensions }: StoredPeriod) => dimensions.device.rows > 0;
    const days = (await parts.deps.rows.days(SERIES, EVER)).filter(withRows).length;
    const months = (await parts.deps.rows.months(SERIES, EVER)).length;
    assert.ok(days > 35 && months > 12, `${days} days, ${months} months`);
    for (const at of [1, 2, 5, 13, days, days + 1, days + months]) {
      const again = createSearchPullsParts();
      again.add('shop.com', traffic);
      const job = { property: 'shop.com', since: again.clock.now.toISOString() };
      const { write } = again.deps.rows;
      let count = 0;
      again.deps.rows.write = async (period, list) => {
        count += 1;
        if (count !== at) return await write(period, list);
        async function* dying() {
          for await (const part of list) {
            yield part;
            break;
          }
          throw new Error('killed');
        }
        return await write(period, dying());
      };
      await assert.rejects(pullProperty(again.deps, job, new AbortController().signal), /killed/);
      await pullProperty(again.deps, job, new AbortController().signal);
      assert.deepEqual(await allStoredRows(again.deps.rows, SERIES), whole, `at write ${at}`);
      assert.equal(again.deps.rows.partCount('shop.com'), wanted, `at write ${at}`);
    }
  });

  it('is refused for a property that is not verified, and for one that the account may not see', async () => {
    await assert.rejects(pull(), { code: 'GOOGLE_PERMISSION', message: /not verified/ });
    parts.add('shop.com');
    parts.deps.analytics.sites.clear();
    await assert.rejects(pull(), { code: 'GOOGLE_PERMISSION' });
  });

  it('stops when it is told to, without a day stored in part', async () => {
    parts.add('shop.com', { since: '2026-06-01' });
    const stop = new AbortController();
    parts.deps.analytics.fault = ({ dimension, range }) => {
      if (dimension === 'page' && range.to === '2026-06-10') stop.abort(new Error('stopped'));
    };
    const job = { property: 'shop.com', since: parts.clock.now.toISOString() };
    await assert.rejects(pullProperty(parts.deps, job, stop.signal), /stopped/);
    const days = (await parts.deps.rows.days(SERIES, EVER)).map(({ period }) => period);
    assert.deepEqual(days, daysOf({ from: '2026-06-11', to: '2026-06-16' }));
  });

  it('keeps each type of search apart', async () => {
    parts.add('shop.com', { since: '2026-06-10' });
    parts.settings.types.push('image');
    await pull();
    const web = await stored();
    const image = await allStoredRows(parts.deps.rows, { ...SERIES, type: 'image' });
    assert.ok(image.length > 50);
    assert.notDeepEqual(web, image);
  });

  it('shows the limit of the search engine as truncation, and totals that do not come from rows', async () => {
    parts.add('shop.com', { since: '2026-06-14' });
    const many = rowsOf(60_000);
    const { query } = parts.deps.analytics;
    parts.deps.analytics.query = async (request, signal) => {
      if (request.dimension !== 'query' || request.range.to !== '2026-06-14') return query(request, signal);
      return { rows: many.slice(request.startRow, Math.min(request.startRow + 25_000, 50_000)), firstIncomplete: null };
    };
    const { truncatedDays } = await pull();
    assert.equal(truncatedDays, 1);
    const window = await parts.deps.windows.find(SERIES, 7, 10);
    assert.deepEqual([window?.top.query.truncatedDays, window?.top.page.truncatedDays], [1, 0]);
    const [day] = await parts.deps.rows.days(SERIES, { from: '2026-06-14', to: '2026-06-14' });
    assert.equal(day?.dimensions.query.rows, 50_000);
    assert.deepEqual(window?.totals, day?.totals);
  });

  it('shows that limit also where rows came with two pages, as of a list that moves while it is read', async () => {
    parts.add('shop.com', { since: '2026-06-14' });
    const many = rowsOf(50_000);
    const { query } = parts.deps.analytics;
    parts.deps.analytics.query = async (request, signal) => {
      if (request.dimension !== 'page' || request.range.to !== '2026-06-14') return query(request, signal);
      const { startRow } = request;
      // A row moved from the second page to the first, after that was read.
      const from = Math.max(0, startRow - 1);
      return { rows: startRow < 50_000 ? many.slice(from, from + 25_000) : [], firstIncomplete: null };
    };
    const { truncatedDays } = await pull();
    const [day] = await parts.deps.rows.days(SERIES, { from: '2026-06-14', to: '2026-06-14' });
    assert.deepEqual(day?.dimensions.page, { rows: 49_999, buckets: 64, truncatedDays: 1 });
    assert.equal(truncatedDays, 1);
    const window = await parts.deps.windows.find(SERIES, 7, 10);
    assert.equal(window?.top.page.truncatedDays, 1);
  });

  it('rolls up windows that end with the last final day, exactly', async () => {
    parts.add('shop.com', { since: '2026-01-01', silentDays: 1, rows: { query: 60, page: 30 } });
    await pull();
    for (const days of [7, 28, 90] as const) {
      const window = await parts.deps.windows.find(SERIES, days, 1_000);
      assert.ok(window);
      assert.deepEqual(window.range, { from: addDays('2026-06-14', 1 - days), to: '2026-06-14' });
      assert.equal(window.series.length, days);
      assert.equal(window.prior.days, days);
      for (const dimension of ROW_DIMENSIONS) {
        const sums = new Map<string, { clicks: number; impressions: number }>();
        for (const day of daysOf(window.range)) {
          for (const { keys, clicks, impressions } of rowsOfDay(traffic(), day, { type: 'web', dimension, share: 1 })) {
            const sum = sums.get(keys[0] ?? '') ?? { clicks: 0, impressions: 0 };
            sums.set(keys[0] ?? '', { clicks: sum.clicks + clicks, impressions: sum.impressions + impressions });
          }
        }
        const wanted = [...sums].map(([key, sum]) => ({ key, ...sum, position: 0 })).sort(compareRows);
        const shown: unknown = window.top[dimension].rows.map((row) => ({ ...row, position: 0 }));
        assert.deepEqual(shown, wanted.slice(0, 1_000), `${days} ${dimension}`);
      }
    }
  });

  it('adds up whole months once, and ranges of them have the same numbers as their days', async () => {
    parts.add('shop.com', { since: '2026-03-10', silentDays: 1, rows: { query: 60 } });
    await pull();
    const months = await parts.deps.rows.months(SERIES, EVER);
    assert.equal(months.at(-1)?.period, '2026-05');
    assert.equal(months[0]?.period, '2025-03');
    const generations = months.map(({ generation }) => generation);
    parts.goTo(new Date('2026-06-20T18:00:00Z'));
    await pull();
    const again = await parts.deps.rows.months(SERIES, EVER);
    assert.deepEqual(
      again.map(({ generation }) => generation),
      generations,
    );

    const range = { from: '2026-03-20', to: '2026-06-05' };
    const byMonths = await readRange(parts.deps.rows, { series: SERIES, range, limit: 500 });
    const rows = { ...parts.deps.rows, months: async () => [] };
    const byDays = await readRange(rows, { series: SERIES, range, limit: 500 });
    const rounded = (value: unknown) =>
      JSON.stringify(value, (_, each) => (typeof each === 'number' ? Number(each.toFixed(6)) : each));
    assert.equal(rounded(byMonths), rounded(byDays));
  });
});
