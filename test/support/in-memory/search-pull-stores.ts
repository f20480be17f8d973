import type {
  PulledProperties,
  PullRunStore,
  RowPart,
  SearchRowStore,
  SearchWindowStore,
} from '../../../domain/search-pulls/ports.ts';
import type { PullRun } from '../../../domain/search-pulls/pull-run.ts';
import type { SearchWindow } from '../../../domain/search-pulls/search-window.ts';
import {
  byDimension,
  isMonth,
  monthOf,
  rangeOfMonth,
  type Series,
  type StoredPeriod,
} from '../../../domain/search-pulls/stored-period.ts';
import { keepRecord } from './keep-record.ts';

/** What is kept of one series; a long list of properties makes none of them slower. */
interface KeptSeries {
  readonly periods: Map<string, StoredPeriod>;
  readonly parts: Map<string, { readonly of: string; readonly pulledAt: Date; readonly part: RowPart }>;
}

/** Rows of search numbers in this process. */
export function createInMemorySearchRows(): SearchRowStore & { readonly partCount: (property: string) => number } {
  const kept = new Map<string, KeptSeries>();
  const seriesOf = ({ property, type }: Series): KeptSeries => {
    const key = `${property}/${type}`;
    const known = kept.get(key) ?? { periods: new Map(), parts: new Map() };
    kept.set(key, known);
    return known;
  };
  const of = (series: Series): StoredPeriod[] =>
    [...seriesOf(series).periods.values()].sort((a, b) => (a.period < b.period ? -1 : 1));
  const days = (series: Series): StoredPeriod[] => of(series).filter((one) => !isMonth(one));
  return {
    partCount: (property) =>
      [...kept].reduce((sum, [key, { parts }]) => sum + (key.startsWith(`${property}/`) ? parts.size : 0), 0),
    async write(period, list) {
      const { periods, parts } = seriesOf(period);
      const { period: id, generation, pulledAt } = period;
      for await (const part of list) {
        parts.set(`${id}/${generation}/${part.dimension}/${part.bucket}`, keepRecord({ of: id, pulledAt, part }));
      }
      const stored = periods.get(id);
      const isNewer = stored === undefined || stored.pulledAt < pulledAt;
      if (isNewer) periods.set(id, keepRecord(period));
      const dead = isNewer ? stored?.generation : generation;
      for (const key of parts.keys()) if (key.startsWith(`${id}/${dead}/`)) parts.delete(key);
      return isNewer;
    },
    async writeEmpty(list) {
      for (const day of list) {
        const { periods } = seriesOf(day);
        if (!periods.has(day.period)) periods.set(day.period, keepRecord(day));
      }
    },
    days: async (series, { from, to }) => days(series).filter(({ period }) => period >= from && period <= to),
    months: async (series, { from, to }) =>
      of(series).filter((one) => {
        if (!isMonth(one)) return false;
        const range = rangeOfMonth(one.period);
        return range.from >= from && range.to <= to;
      }),
    lastFinalDay: async (series) => days(series).findLast(({ isFinal }) => isFinal)?.period ?? null,
    async deleteLeftovers(series, { from, to }) {
      const { periods, parts } = seriesOf(series);
      for (const [key, { of: id, pulledAt }] of parts) {
        const period = periods.get(id);
        const isIn = id >= (id.length === 7 ? monthOf(from) : from) && id <= to;
        if (period === undefined || !isIn || key.startsWith(`${id}/${period.generation}/`)) continue;
        if (pulledAt <= period.pulledAt) parts.delete(key);
      }
    },
    async *read(series, refs) {
      const { parts } = seriesOf(series);
      for (const { period, generation, dimension, bucket } of refs) {
        const stored = parts.get(`${period}/${generation}/${dimension}/${bucket}`);
        if (stored !== undefined) yield { ...stored.part, period };
      }
    },
  };
}

/** Windows of search numbers in this process. */
export function createInMemorySearchWindows(): SearchWindowStore {
  const windows = new Map<string, SearchWindow>();
  const idOf = ({ property, type }: Series, days: number): string => `${property}/${type}/${days}`;
  return {
    async write(window) {
      const id = idOf(window, window.days);
      const stored = windows.get(id);
      if (stored === undefined || stored.rolledUpAt <= window.rolledUpAt) windows.set(id, keepRecord(window));
    },
    async find(series, days, rows) {
      const window = windows.get(idOf(series, days));
      if (window === undefined) return null;
      const top = byDimension((dimension) => ({
        ...window.top[dimension],
        rows: window.top[dimension].rows.slice(0, Math.max(rows, 1)),
      }));
      return { ...window, top };
    },
  };
}

/** Records of pulls in this process. */
export function createInMemoryPullRuns(): PullRunStore {
  const runs = new Map<string, PullRun>();
  const running = (): PullRun[] => [...runs.values()].filter(({ status }) => status === 'running');
  return {
    async insert(run) {
      if (!runs.has(run.id)) runs.set(run.id, keepRecord(run));
    },
    find: async (id) => runs.get(id) ?? null,
    async change(id, change) {
      const run = runs.get(id);
      if (run?.status !== 'running') return false;
      runs.set(id, keepRecord({ ...run, ...change }));
      return true;
    },
    newestRunning: async () =>
      running()
        .sort((a, b) => a.startedAt.getTime() - b.startedAt.getTime())
        .at(-1) ?? null,
    async abandonEarlier({ id, startedAt }, change) {
      if (runs.get(id)?.status !== 'running') return;
      const earlier = running().filter((run) => run.id !== id && run.startedAt < startedAt);
      for (const run of earlier) runs.set(run.id, keepRecord({ ...run, ...change }));
    },
  };
}

/** Up to when properties were pulled, in this process. */
export function createInMemoryPulledProperties(): PulledProperties {
  const pulled = new Map<string, Date>();
  return {
    notPulledSince: async (properties, since) =>
      properties.filter((property) => {
        const last = pulled.get(property);
        return last === undefined || last < since;
      }),
    lastPulled: async (property) => pulled.get(property) ?? null,
    async notePulled(property, since) {
      const last = pulled.get(property);
      if (last === undefined || last < since) pulled.set(property, since);
    },
  };
}
