import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PulledProperties, PullRunStore, SearchWindowStore } from '../../../domain/search-pulls/ports.ts';
import { ABANDONED, EMPTY_SUMMARY } from '../../../domain/search-pulls/pull-run.ts';
import type { SearchWindow, TopRows } from '../../../domain/search-pulls/search-window.ts';
import { byDimension } from '../../../domain/search-pulls/stored-period.ts';
import { newSeries, pullRun, rowsOf } from './records.ts';

const AT = new Date('2026-03-09T12:00:00Z');
const later = (minutes: number): Date => new Date(AT.getTime() + minutes * 60_000);
const NUMBERS = { clicks: 12, impressions: 340, position: 7.25 };

function windowOf(rows: number, changes: Partial<SearchWindow> = {}): SearchWindow {
  return {
    ...{ ...newSeries(), days: 7, range: { from: '2026-03-01', to: '2026-03-07' }, totals: NUMBERS },
    prior: { range: { from: '2026-02-22', to: '2026-02-28' }, totals: NUMBERS, days: 7 },
    series: [{ day: '2026-03-01', isFinal: true, ...NUMBERS }],
    top: byDimension((dimension) => ({ rows: dimension === 'query' ? rowsOf(rows) : rowsOf(3), truncatedDays: 2 })),
    ...{ finalThrough: '2026-03-07', rolledUpAt: AT },
    ...changes,
  };
}

const OTHERS: TopRows = { rows: rowsOf(1_000, 'other'), truncatedDays: 2 };

/** What every {@link SearchWindowStore} guarantees. */
export function searchWindowStoreSuite(store: () => SearchWindowStore): void {
  describe('SearchWindowStore', () => {
    it('gives back a window with at least as many rows as are asked for', async () => {
      const window = windowOf(1_000);
      await store().write(window);
      assert.deepEqual(await store().find(window, 7, 1_000), window);
      const few = await store().find(window, 7, 5);
      assert.deepEqual(few?.top.query.rows.slice(0, 5), window.top.query.rows.slice(0, 5));
      assert.deepEqual(few?.totals, window.totals);
      assert.equal(await store().find(window, 28, 5), null);
      assert.equal(await store().find({ ...window, type: 'image' }, 7, 5), null);
    });

    it('replaces a window, also one that had more rows', async () => {
      const window = windowOf(1_000);
      await store().write(window);
      const { property, type } = window;
      const next = windowOf(20, { property, type, rolledUpAt: later(1) });
      await store().write(next);
      assert.deepEqual(await store().find(window, 7, 1_000), next);
    });

    it('keeps a window as a whole when one that was rolled up earlier comes late', async () => {
      const window = windowOf(1_000, { rolledUpAt: later(5) });
      await store().write(window);
      const { property, type } = window;
      for (const rows of [20, 900]) await store().write(windowOf(rows, { property, type, rolledUpAt: later(4) }));
      assert.deepEqual(await store().find(window, 7, 1_000), window);
    });

    it('shows no rows of one window with those of another, where two were rolled up at the same moment', async () => {
      const window = windowOf(1_000);
      const other = windowOf(1_000, { property: window.property, top: { ...window.top, query: OTHERS } });
      await Promise.all([store().write(window), store().write(other)]);
      const keys = (await store().find(window, 7, 1_000))?.top.query.rows.map(({ key }) => key.split(' ')[0]) ?? [];
      assert.equal(keys.length, 1_000);
      assert.equal(new Set(keys).size, 1);
    });
  });
}

/** What every {@link PullRunStore} guarantees, on a store that nobody else writes to. */
export function pullRunStoreSuite(store: () => PullRunStore): void {
  describe('PullRunStore', () => {
    it('keeps the first record of an id', async () => {
      const run = pullRun();
      await store().insert(run);
      await store().insert({ ...run, requestedBy: 'usr_other' });
      assert.deepEqual(await store().find(run.id), run);
      assert.equal(await store().find('spr_nobody'), null);
    });

    it('writes the end of a pull once', async () => {
      const run = pullRun();
      await store().insert(run);
      const summary = { ...EMPTY_SUMMARY, failures: [{ domain: 'a.com', code: 'INTERNAL', message: 'no' }] };
      const end = { status: 'done', finishedAt: later(1), summary, error: null } as const;
      assert.equal(await store().change(run.id, end), true);
      assert.equal(await store().change(run.id, { status: 'failed' }), false);
      assert.equal(await store().change('spr_nobody', end), false);
      assert.deepEqual(await store().find(run.id), { ...run, ...end });
    });

    it('finds the newest that runs, and ends all others but the one that goes on', async () => {
      const [older, newer, next] = [
        pullRun({ startedAt: later(90) }),
        pullRun({ startedAt: later(91) }),
        pullRun({ startedAt: later(92) }),
      ];
      await store().insert(newer);
      await store().insert(older);
      assert.equal((await store().newestRunning())?.id, newer.id);
      await store().insert(next);
      const change = { status: 'failed', error: ABANDONED, abandoned: true, finishedAt: later(93) } as const;
      await store().abandonEarlier(next, change);
      assert.deepEqual(await store().find(older.id), { ...older, ...change });
      assert.deepEqual(await store().find(newer.id), { ...newer, ...change });
      assert.equal((await store().newestRunning())?.id, next.id);
      await store().change(next.id, { status: 'done' });
      assert.equal(await store().newestRunning(), null);
    });

    it('ends none that began after one that says late that it goes on, whether that one has ended or not', async () => {
      const [first, next] = [pullRun({ startedAt: later(100) }), pullRun({ startedAt: later(101) })];
      await store().insert(first);
      await store().insert(next);
      const change = { status: 'failed', error: ABANDONED, abandoned: true, finishedAt: later(102) } as const;
      await store().abandonEarlier(first, change);
      assert.deepEqual(await store().find(next.id), next);
      await store().change(next.id, { status: 'done' });
      const older = pullRun({ startedAt: later(99) });
      await store().insert(older);
      await store().abandonEarlier(next, change);
      assert.deepEqual(await store().find(older.id), older);
      for (const { id } of [first, older]) await store().change(id, { status: 'done' });
    });
  });
}

/** What every {@link PulledProperties} guarantees. */
export function pulledPropertiesSuite(store: () => PulledProperties): void {
  describe('PulledProperties', () => {
    it('leaves out those that were pulled since, and never goes back', async () => {
      const [a, b, c] = [newSeries().property, newSeries().property, newSeries().property];
      await store().notePulled(a, later(1));
      await store().notePulled(b, later(5));
      await store().notePulled(b, later(2));
      assert.deepEqual(await store().notPulledSince([a, b, c], later(3)), [a, c]);
      assert.deepEqual(await store().notPulledSince([a, b, c], later(1)), [c]);
      assert.deepEqual(await store().notPulledSince([], later(1)), []);
    });

    it('knows when the last whole pull began, and none of a property that was never pulled', async () => {
      const [a, b] = [newSeries().property, newSeries().property];
      for (const minutes of [5, 2]) await store().notePulled(a, later(minutes));
      assert.deepEqual(await store().lastPulled(a), later(5));
      assert.equal(await store().lastPulled(b), null);
    });
  });
}
