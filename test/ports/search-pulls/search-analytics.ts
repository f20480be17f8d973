import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NumbersRequest, SearchAnalytics } from '../../../domain/search-pulls/vendor-ports.ts';
import type { SearchAnalyticsState } from '../../vendors/google/search-analytics.ts';
import { rowsOfDay, type SiteTraffic } from '../../vendors/google/search-traffic.ts';

const SITE = 'sc-domain:shop.com';
const TRAFFIC: SiteTraffic = { seed: 7, rows: { query: 30 }, since: '2026-06-01', silentDays: 1 };
const request = (changes: Partial<NumbersRequest>): NumbersRequest => ({
  ...{ siteUrl: SITE, range: { from: '2026-06-10', to: '2026-06-10' }, type: 'web', dimension: 'query', startRow: 0 },
  ...changes,
});

/** What every {@link SearchAnalytics} guarantees; the day at the search engine is 2026-06-17. */
export function searchAnalyticsSuite(create: () => { analytics: SearchAnalytics; state: SearchAnalyticsState }): void {
  describe('SearchAnalytics', () => {
    const ask = (changes: Partial<NumbersRequest>) => {
      const { analytics, state } = create();
      state.sites.set(SITE, TRAFFIC);
      return analytics.query(request(changes), AbortSignal.timeout(60_000));
    };

    it('gives the rows of a day by each dimension', async () => {
      for (const dimension of ['query', 'page', 'country', 'device', 'searchAppearance'] as const) {
        const wanted = rowsOfDay(TRAFFIC, '2026-06-10', { type: 'web', dimension, share: 1 });
        const { rows, firstIncomplete } = await ask({ dimension });
        assert.ok(rows.length > 0);
        assert.deepEqual(
          rows.map(({ key, clicks, impressions, position }) => [key, clicks, impressions, position]),
          wanted.map(({ keys, clicks, impressions, position }) => [keys[0], clicks, impressions, position]),
        );
        assert.equal(firstIncomplete, null);
      }
    });

    it('gives a page from a row on, and none behind the last one', async () => {
      const { rows } = await ask({});
      assert.deepEqual((await ask({ startRow: 5 })).rows, rows.slice(5));
      assert.deepEqual((await ask({ startRow: rows.length })).rows, []);
    });

    it('gives the totals of the days that have some, also of those that are not final, and says which are', async () => {
      const { rows, firstIncomplete } = await ask({
        range: { from: '2026-05-20', to: '2026-06-17' },
        dimension: 'date',
      });
      assert.equal(firstIncomplete, '2026-06-15');
      assert.ok(rows.every(({ key }) => key >= '2026-06-01' && key < '2026-06-17'));
      assert.ok(rows.some(({ key }) => key >= '2026-06-15'));
      assert.equal(
        (await ask({ range: { from: '2026-05-20', to: '2026-06-14' }, dimension: 'date' })).firstIncomplete,
        null,
      );
    });

    it('is refused for a site that the account may not see', async () => {
      await assert.rejects(ask({ siteUrl: 'sc-domain:other.com' }), { code: 'GOOGLE_PERMISSION' });
    });

    it('ends with the reason of an abort', async () => {
      const { analytics, state } = create();
      state.sites.set(SITE, TRAFFIC);
      await assert.rejects(analytics.query(request({}), AbortSignal.abort(new Error('stopped'))), /stopped/);
    });
  });
}
