import { randomBytes } from 'node:crypto';
import type { RowDimension } from '../../../domain/search-pulls/dimensions.ts';
import type { RowPart, SearchRowStore } from '../../../domain/search-pulls/ports.ts';
import { type PullRun, runningPull } from '../../../domain/search-pulls/pull-run.ts';
import { NO_NUMBERS } from '../../../domain/search-pulls/search-numbers.ts';
import { type SearchRow, toParts, toRows } from '../../../domain/search-pulls/search-rows.ts';
import { byDimension, type Series, type StoredPeriod, storedRows } from '../../../domain/search-pulls/stored-period.ts';

export const newSeries = (): Series => ({ property: `d${randomBytes(6).toString('hex')}.com`, type: 'web' });

/** Rows with keys of their own. */
export function rowsOf(count: number, prefix = 'key'): readonly SearchRow[] {
  return Array.from({ length: count }, (_, index) => ({
    key: `${prefix} ${index}`,
    clicks: count - index,
    impressions: 10 * (count - index),
    position: 1 + (index % 40) / 4,
  }));
}

/** A day with these rows, and its parts. */
export function dayOf(
  series: Series,
  rows: Partial<Record<RowDimension, readonly SearchRow[]>>,
  changes: Partial<StoredPeriod> = {},
): { readonly period: StoredPeriod; readonly parts: readonly RowPart[] } {
  const period: StoredPeriod = {
    ...series,
    period: '2026-03-05',
    isFinal: true,
    pulledAt: new Date('2026-03-09T12:00:00Z'),
    generation: `srw_${randomBytes(6).toString('hex')}`,
    totals: NO_NUMBERS,
    dimensions: byDimension((dimension) => storedRows(rows[dimension]?.length ?? 0)),
    ...changes,
  };
  const parts = Object.entries(rows).flatMap(([dimension, list]) =>
    toParts(list).map((columns, bucket) => ({ dimension: dimension as RowDimension, bucket, columns })),
  );
  return { period, parts };
}

/** The rows of a dimension of a stored day, by key. */
export async function readRows(
  store: SearchRowStore,
  { property, type, period, generation, dimensions }: StoredPeriod,
  dimension: RowDimension,
): Promise<readonly SearchRow[]> {
  const { buckets } = dimensions[dimension];
  const refs = Array.from({ length: buckets }, (_, bucket) => ({ period, generation, dimension, bucket }));
  const rows: SearchRow[] = [];
  for await (const { columns } of store.read({ property, type }, refs)) rows.push(...toRows(columns));
  return rows.sort((a, b) => (a.key < b.key ? -1 : 1));
}

export const byKey = (rows: readonly SearchRow[]): readonly SearchRow[] =>
  rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));

export function pullRun(changes: Partial<PullRun> = {}): PullRun {
  const at = new Date('2026-03-09T12:00:00Z');
  const id = `spr_${randomBytes(6).toString('hex')}`;
  return { ...runningPull({ id, trigger: 'manual', requestedBy: 'usr_ada', startedAt: at, since: at }), ...changes };
}
