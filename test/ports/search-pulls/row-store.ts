import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SearchRowStore } from '../../../domain/search-pulls/ports.ts';
import { byKey, dayOf, newSeries, readRows, rowsOf } from './records.ts';

const YEAR = { from: '2026-01-01', to: '2026-12-31' };
const later = (hours: number): Date => new Date(Date.parse('2026-03-09T12:00:00Z') + hours * 3_600_000);

/** What every {@link SearchRowStore} guarantees. Properties are new for each test, so one store serves them all. */
export function searchRowStoreSuite(
  store: () => SearchRowStore,
  partCount: (property: string) => Promise<number>,
): void {
  describe('SearchRowStore', () => {
    it('gives back the day and every row of every dimension, however many parts they are in', async () => {
      const series = newSeries();
      const rows = { query: rowsOf(2_500), page: rowsOf(3, 'https://x.test/ü€/'), device: rowsOf(1) };
      const { period, parts } = dayOf(series, rows);
      assert.equal(await store().write(period, parts), true);
      assert.deepEqual(await store().days(series, YEAR), [period]);
      assert.deepEqual(await readRows(store(), period, 'query'), byKey(rows.query));
      assert.deepEqual(await readRows(store(), period, 'page'), byKey(rows.page));
      assert.deepEqual(await readRows(store(), period, 'device'), rows.device);
      assert.deepEqual(await readRows(store(), period, 'country'), []);
    });

    it('replaces a day that is written again: nothing is doubled, and nothing of the old one is left', async () => {
      const series = newSeries();
      const first = dayOf(series, { query: rowsOf(1_500), page: rowsOf(5) }, { isFinal: false });
      const second = dayOf(series, { query: rowsOf(2) }, { pulledAt: later(24) });
      await store().write(first.period, first.parts);
      assert.equal(await store().write(second.period, second.parts), true);
      assert.deepEqual(await store().days(series, YEAR), [second.period]);
      assert.deepEqual(await readRows(store(), second.period, 'query'), byKey(rowsOf(2)));
      assert.deepEqual(await readRows(store(), first.period, 'query'), []);
      assert.equal(await partCount(series.property), 1);
    });

    it('refuses what was read earlier than what is stored, and leaves no part of it', async () => {
      const series = newSeries();
      const newer = dayOf(series, { query: rowsOf(2) }, { pulledAt: later(24) });
      const older = dayOf(series, { query: rowsOf(3) });
      const atOnce = dayOf(series, { query: rowsOf(4) }, { pulledAt: later(24) });
      await store().write(newer.period, newer.parts);
      assert.equal(await store().write(older.period, older.parts), false);
      assert.equal(await store().write(atOnce.period, atOnce.parts), false);
      assert.deepEqual(await store().days(series, YEAR), [newer.period]);
      assert.deepEqual(await readRows(store(), newer.period, 'query'), byKey(rowsOf(2)));
      assert.equal(await partCount(series.property), 1);
    });

    it('shows the old day with its rows until the new one is whole, and deletes what a killed attempt left when told to', async () => {
      const series = newSeries();
      const old = dayOf(series, { query: rowsOf(2) });
      await store().write(old.period, old.parts);
      const killed = dayOf(series, { query: rowsOf(40_000) }, { pulledAt: later(1) });
      async function* dying() {
        yield* killed.parts.slice(0, 40);
        assert.deepEqual(await readRows(store(), old.period, 'query'), byKey(rowsOf(2)));
        throw new Error('killed');
      }
      await assert.rejects(store().write(killed.period, dying()), /killed/);
      assert.deepEqual(await store().days(series, YEAR), [old.period]);
      assert.deepEqual(await readRows(store(), old.period, 'query'), byKey(rowsOf(2)));
      // Some may not have reached the store yet.
      const left = await partCount(series.property);
      assert.ok(left > 30, `${left} parts`);
      const next = dayOf(series, { query: rowsOf(3) }, { pulledAt: later(2) });
      await store().deleteLeftovers(series, YEAR);
      assert.equal(await partCount(series.property), left, 'the write may be under way');
      assert.equal(await store().write(next.period, next.parts), true);
      await store().deleteLeftovers(series, { from: '2026-03-06', to: '2026-12-31' });
      assert.equal(await partCount(series.property), left, 'of the days of the range alone');
      await store().deleteLeftovers(series, { from: '2026-03-05', to: '2026-03-05' });
      assert.equal(await partCount(series.property), 1);
      assert.deepEqual(await readRows(store(), next.period, 'query'), byKey(rowsOf(3)));
    });

    it('deletes what is left of months, and nothing that a record names, may name yet, or that is of another series', async () => {
      const [series, other] = [newSeries(), newSeries()];
      const image = { ...series, type: 'image' } as const;
      const periods = ['2026-03', '2026-03-05'];
      /** A write that is broken off. @returns how many parts it leaves */
      const left = async (whose: typeof series | typeof image, period: string, pulledAt: Date): Promise<number> => {
        const before = await partCount(whose.property);
        const { period: record, parts } = dayOf(whose, { query: rowsOf(40_000) }, { period, pulledAt });
        async function* dying() {
          yield* parts.slice(0, 40);
          throw new Error('killed');
        }
        await assert.rejects(store().write(record, dying()), /killed/);
        return (await partCount(whose.property)) - before;
      };
      let ofImage = 0;
      let ofOther = 0;
      for (const period of periods) {
        await left(series, period, later(1));
        ofImage += await left(image, period, later(1));
        ofOther += await left(other, period, later(1));
        for (const whose of [series, image]) {
          const whole = dayOf(whose, { query: rowsOf(2) }, { period, pulledAt: later(2) });
          await store().write(whole.period, whole.parts);
        }
      }
      const ofLater = await left(series, '2026-03-05', later(3));
      const records = 2 * periods.length;
      await store().deleteLeftovers(series, YEAR);
      assert.equal(await partCount(series.property), records + ofLater + ofImage);
      assert.equal(await partCount(other.property), ofOther, 'no record says that nothing comes of them');
      await store().deleteLeftovers(image, YEAR);
      assert.equal(await partCount(series.property), records + ofLater);
    });

    it('of many who write one day at once, keeps the whole of the one that read last', async () => {
      const series = newSeries();
      const all = Array.from({ length: 8 }, (_, index) =>
        dayOf(series, { query: rowsOf(1_200 + index), page: rowsOf(index) }, { pulledAt: later(index) }),
      );
      await Promise.all(all.map(({ period, parts }) => store().write(period, parts)));
      const [stored] = await store().days(series, YEAR);
      assert.deepEqual(stored, all[7]?.period);
      if (stored === undefined) return;
      assert.deepEqual(await readRows(store(), stored, 'query'), byKey(rowsOf(1_207)));
      assert.deepEqual(await readRows(store(), stored, 'page'), byKey(rowsOf(7)));
    });

    it('writes days without rows only where nothing is stored', async () => {
      const series = newSeries();
      const { period, parts } = dayOf(series, { query: rowsOf(1) });
      await store().write(period, parts);
      const other = { ...dayOf(series, {}).period, period: '2026-03-06' };
      await store().writeEmpty([{ ...dayOf(series, {}).period, pulledAt: later(48) }, other]);
      await store().writeEmpty([]);
      assert.deepEqual(await store().days(series, YEAR), [period, other]);
    });

    it('lists the days of a range in order, and months apart from days', async () => {
      const series = newSeries();
      for (const period of ['2026-03-31', '2026-02-27', '2026-03-01', '2026-03', '2026-02']) {
        await store().write(dayOf(series, {}, { period }).period, []);
      }
      const named = (list: readonly { readonly period: string }[]): readonly string[] =>
        list.map(({ period }) => period);
      const march = { from: '2026-03-01', to: '2026-03-31' };
      assert.deepEqual(named(await store().days(series, YEAR)), ['2026-02-27', '2026-03-01', '2026-03-31']);
      assert.deepEqual(named(await store().days(series, march)), ['2026-03-01', '2026-03-31']);
      assert.deepEqual(named(await store().months(series, YEAR)), ['2026-02', '2026-03']);
      assert.deepEqual(named(await store().months(series, march)), ['2026-03']);
      assert.deepEqual(await store().months(series, { ...march, to: '2026-03-30' }), []);
      assert.deepEqual(await store().days({ ...series, type: 'image' }, YEAR), []);
    });

    it('knows the newest final day, which no month and no later day that is not final is taken for', async () => {
      const series = newSeries();
      assert.equal(await store().lastFinalDay(series), null);
      for (const [period, isFinal] of [
        ['2026-03-01', true],
        ['2026-03-02', true],
        ['2026-03-03', false],
        ['2026-04', true],
      ] as const) {
        await store().write(dayOf(series, {}, { period, isFinal }).period, []);
      }
      assert.equal(await store().lastFinalDay(series), '2026-03-02');
    });
  });
}
