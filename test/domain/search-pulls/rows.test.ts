import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eachShare, sharesOf, topRows } from '../../../domain/search-pulls/add-up-rows.ts';
import { bucketsOfShare, createRowSums, sharesFor } from '../../../domain/search-pulls/merge-rows.ts';
import { addDays } from '../../../domain/search-pulls/pacific-day.ts';
import { createPageNumbers } from '../../../domain/search-pulls/page-numbers.ts';
import { readRange } from '../../../domain/search-pulls/read-range.ts';
import { bucketOf, bucketsFor, hashKey } from '../../../domain/search-pulls/row-buckets.ts';
import { distinctRows, type SearchRow, toParts, toRows } from '../../../domain/search-pulls/search-rows.ts';
import { coverRange, monthsToRollUp, rangeOfMonth } from '../../../domain/search-pulls/stored-period.ts';
import { byKey, dayOf, newSeries, rowsOf } from '../../ports/search-pulls/records.ts';
import { createInMemorySearchRows } from '../../support/in-memory/search-pull-stores.ts';

describe('parts of rows', () => {
  it('hold every row once, about as many each', () => {
    for (const count of [1, 1_000, 1_001, 5_000, 50_000]) {
      const rows = rowsOf(count, 'https://example.com/a/b/');
      const parts = toParts(rows);
      assert.equal(parts.length, bucketsFor(count));
      assert.deepEqual(byKey(parts.flatMap(toRows)), byKey(rows));
      const sizes = parts.map(({ keys }) => keys.length);
      assert.ok(Math.max(...sizes) < (1.5 * count) / parts.length + 1, `${count}: ${sizes.slice(0, 9)}`);
    }
    assert.deepEqual(toParts([]), []);
  });

  it('of few buckets are unions of those of many', () => {
    for (const { key } of rowsOf(500)) {
      const hash = hashKey(key);
      assert.equal(bucketOf(hash, 64) % 8, bucketOf(hash, 8));
      assert.equal(bucketOf(hash, 1), 0);
    }
  });

  it('are added up in shares that together have every part once', () => {
    for (const buckets of [1, 4, 64]) {
      for (const shares of [1, 2, 16]) {
        const read = Array.from({ length: shares }, (_, share) =>
          bucketsOfShare({ rows: 9, buckets }, share, shares),
        ).flat();
        if (buckets >= shares)
          assert.deepEqual(
            read.toSorted((a, b) => a - b),
            Array.from({ length: buckets }, (_, index) => index),
          );
        else assert.deepEqual([...new Set(read)].length, buckets);
      }
    }
    assert.deepEqual(bucketsOfShare({ rows: 0, buckets: 0 }, 0, 4), []);
    assert.deepEqual([sharesFor([{ rows: 200_000, buckets: 1 }]), sharesFor([{ rows: 200_001, buckets: 1 }])], [1, 2]);
  });

  it('keep the last of two rows of one key', () => {
    const [one] = rowsOf(1);
    assert.ok(one);
    assert.deepEqual(distinctRows([one, { ...one, clicks: 7 }]), [{ ...one, clicks: 7 }]);
  });
});

describe('rows that are added up', () => {
  /** Days of many different sizes, with keys that most of them share. */
  async function manyDays(counts: readonly number[]) {
    const [store, series] = [createInMemorySearchRows(), newSeries()];
    const sums = new Map<string, SearchRow>();
    for (const [index, count] of counts.entries()) {
      const rows = rowsOf(count);
      const { period, parts } = dayOf(series, { query: rows }, { period: addDays('2026-03-01', index) });
      await store.write(period, parts);
      for (const { key, clicks, impressions } of rows) {
        const sum = sums.get(key) ?? { key, clicks: 0, impressions: 0, position: 0 };
        sums.set(key, { ...sum, clicks: sum.clicks + clicks, impressions: sum.impressions + impressions });
      }
    }
    return { store, series, sums };
  }
  const without = (rows: readonly SearchRow[]) => rows.map((row) => ({ ...row, position: 0 }));

  it('are right and whole, however many shares there are and however different the days', async () => {
    const { store, series, sums } = await manyDays([3, 1_500, 0, 9_000, 40]);
    const periods = await store.days(series, { from: '2026-03-01', to: '2026-03-31' });
    for (const shares of [1, 2, 8]) {
      const all: SearchRow[] = [];
      for await (const rows of eachShare(store, { series, periods, dimension: 'query' }, shares)) all.push(...rows);
      assert.deepEqual(byKey(without(all)), byKey([...sums.values()]));
    }
    assert.equal(sharesOf({ series, periods, dimension: 'query' }), 1);
    const top = await topRows(store, { series, periods, dimension: 'query' }, 3);
    assert.deepEqual(
      top.map(({ key }) => key),
      ['key 0', 'key 1', 'key 2'],
    );
    assert.deepEqual(await topRows(store, { series, periods, dimension: 'page' }, 3), []);
  });

  it('have the mean position of their impressions', () => {
    const sums = createRowSums(0, 1);
    sums.add({ keys: ['a', 'b'], clicks: [1, 0], impressions: [10, 0], positions: [2, 9] });
    sums.add({ keys: ['a'], clicks: [2], impressions: [30], positions: [6] });
    assert.deepEqual(byKey(sums.rows()), [
      { key: 'a', clicks: 3, impressions: 40, position: 5 },
      { key: 'b', clicks: 0, impressions: 0, position: 0 },
    ]);
  });

  it('are read again when a day is replaced meanwhile, and are those of one moment', async () => {
    const { store, series } = await manyDays([5]);
    const range = { from: '2026-03-01', to: '2026-03-07' };
    let replaced = 0;
    const racing: typeof store = {
      ...store,
      async *read(of, parts) {
        if (replaced < 2) {
          replaced += 1;
          const later = new Date(Date.parse('2026-03-10T00:00:00Z') + replaced);
          const next = dayOf(series, { query: rowsOf(5 + replaced) }, { period: '2026-03-01', pulledAt: later });
          await store.write(next.period, next.parts);
        }
        yield* store.read(of, parts);
      },
    };
    const { top } = await readRange(racing, { series, range, limit: 100 });
    assert.equal(top.query.rows.length, 7);
    const endless: typeof store = { ...store, async *read() {} };
    await assert.rejects(readRange(endless, { series, range, limit: 1 }), { code: 'CONFLICT', retryable: true });
  });
});

describe('numbers of pages', () => {
  it('are those of the last final days, found by the address alone', async () => {
    const [store, series] = [createInMemorySearchRows(), newSeries()];
    const pages = rowsOf(3_000, 'https://shop.com/');
    for (let index = 0; index < 40; index += 1) {
      const period = addDays('2026-03-01', index);
      const day = dayOf(
        series,
        { page: index % 2 === 0 ? pages : pages.slice(0, 10) },
        { period, isFinal: index < 38 },
      );
      await store.write(day.period, day.parts);
    }
    let parts = 0;
    const counting: typeof store = {
      ...store,
      async *read(of, refs) {
        parts += refs.length;
        yield* store.read(of, refs);
      },
    };
    const asked = ['https://shop.com/ 5', 'https://shop.com/ 2000', 'https://shop.com/nowhere'];
    const found = await createPageNumbers(counting).ofPages(series.property, asked, 28);
    assert.deepEqual(found?.range, { from: '2026-03-11', to: '2026-04-07' });
    const [five, late] = [pages[5], pages[2_000]];
    assert.ok(five && late);
    assert.equal(found?.numbers.get('https://shop.com/ 5')?.clicks, 28 * five.clicks);
    assert.equal(found?.numbers.get('https://shop.com/ 2000')?.impressions, 14 * late.impressions);
    assert.equal(found?.numbers.has('https://shop.com/nowhere'), false);
    // Three of the four parts of a large day at most.
    assert.ok(parts <= 14 * 3 + 14, `${parts} parts`);
    assert.equal(await createPageNumbers(store).ofPages('nobody.com', asked, 28), null);
  });
});

describe('months', () => {
  const series = newSeries();
  const day = (period: string, isFinal = true) => dayOf(series, {}, { period, isFinal }).period;
  const march = Array.from({ length: 31 }, (_, index) => day(addDays('2026-03-01', index)));

  it('are added up once all their days are final', () => {
    assert.deepEqual(monthsToRollUp(march, new Set()), ['2026-03']);
    assert.deepEqual(monthsToRollUp(march, new Set(['2026-03'])), []);
    assert.deepEqual(monthsToRollUp(march.slice(1), new Set()), []);
    assert.deepEqual(monthsToRollUp([...march.slice(0, 30), day('2026-03-31', false)], new Set()), []);
    assert.deepEqual(rangeOfMonth('2028-02'), { from: '2028-02-01', to: '2028-02-29' });
  });

  it('stand for their days in a range that has all of them', () => {
    const days = [day('2026-02-28'), ...march, day('2026-04-01')];
    const months = [day('2026-03')];
    const named = (from: string, to: string) => coverRange({ from, to }, { days, months }).map(({ period }) => period);
    assert.deepEqual(named('2026-02-28', '2026-04-01'), ['2026-03', '2026-02-28', '2026-04-01']);
    assert.equal(named('2026-03-02', '2026-04-01').length, 31);
  });
});
