import { FairleadError } from '../../../domain/errors.ts';
import type { CheckResult } from '../../../domain/monitors/check-result.ts';
import type { RollUp } from '../../../domain/monitors/history.ts';
import { shardOf } from '../../../domain/monitors/monitor.ts';
import { inOrder } from '../../../domain/monitors/packed-results.ts';
import {
  type HourEnd,
  MOST_HOUR_ENDS,
  type ResultBatch,
  type ResultStore,
  type RollUpStore,
} from '../../../domain/monitors/ports.ts';
import { HOUR_MS } from '../../../domain/monitors/roll-up-hour.ts';
import { keepRecord } from './keep-record.ts';

type Numbered = ResultBatch['results'][number];

const hourOf = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;

/** Raw results in memory. */
export function createMemoryResults(): ResultStore {
  const fences = new Map<number, number>();
  /** By shard and hour. */
  const loose = new Map<string, { chunks: number; results: Numbered[] }>();
  /** By number and hour. */
  const packed = new Map<string, { readonly hour: number; results: readonly CheckResult[] }>();
  const looseOf = (shard: number) => [...loose].filter(([key]) => key.startsWith(`${shard}/`));
  const bare = ({ number: _number, ...result }: Numbered): CheckResult => result;
  const readPacked: ResultStore['readPacked'] = async (hour, numbers) =>
    new Map(
      numbers.flatMap((number) => {
        const found = packed.get(`${number}/${hour.getTime()}`);
        return found === undefined ? [] : [[number, found.results] as const];
      }),
    );
  return {
    async claim(shard) {
      const fence = (fences.get(shard) ?? 0) + 1;
      fences.set(shard, fence);
      return fence;
    },
    async append({ shard, fence, results }) {
      if (fences.get(shard) !== fence) {
        throw new FairleadError('CONFLICT', 'Another worker checks these monitors now; this one stops.');
      }
      for (const result of results) {
        const key = `${shard}/${hourOf(result.at)}`;
        const part = loose.get(key) ?? { chunks: 0, results: [] };
        loose.set(key, { chunks: part.chunks + 1, results: [...part.results, keepRecord({ ...result })] });
      }
    },
    async read({ number }, from, to) {
      const own = looseOf(shardOf({ number })).flatMap(([, { results }]) =>
        results.filter((each) => each.number === number),
      );
      const kept = [...packed].filter(([key]) => key.startsWith(`${number}/`)).flatMap(([, { results }]) => results);
      const within = [...own.map(bare), ...kept].filter(({ at }) => from.getTime() <= at && at < to.getTime());
      return inOrder(within);
    },
    async looseHours(shard) {
      const hours = looseOf(shard).map(([key]) => Number(key.split('/')[1]));
      return hours.sort((a, b) => a - b).map((hour) => new Date(hour));
    },
    async readLoose(shard, hour) {
      const id = `${shard}/${hour.getTime()}`;
      const part = loose.get(id);
      if (part === undefined) return { results: new Map(), parts: [] };
      const grouped = Map.groupBy(part.results, ({ number }) => number);
      const results = new Map([...grouped].map(([number, found]) => [number, inOrder(found.map(bare))] as const));
      return { results, parts: [{ id, chunks: part.chunks }] };
    },
    readPacked,
    async pack(hour, results) {
      const known = await readPacked(hour, [...results.keys()]);
      for (const [number, found] of results) {
        const all = inOrder([...(known.get(number) ?? []), ...found]);
        packed.set(`${number}/${hour.getTime()}`, { hour: hour.getTime(), results: all });
      }
    },
    async dropLoose(parts) {
      for (const { id, chunks } of parts) if (loose.get(id)?.chunks === chunks) loose.delete(id);
    },
    async dropPackedBefore(hour) {
      for (const [key, each] of packed) if (each.hour < hour.getTime()) packed.delete(key);
    },
  };
}

/** Roll-ups in memory. */
export function createMemoryRollUps(): RollUpStore {
  const rollUps = new Map<string, RollUp>();
  const ends = new Map<string, readonly HourEnd[]>();
  const read: RollUpStore['read'] = async (monitorId, length, from, to) =>
    [...rollUps.values()]
      .filter((each) => each.monitorId === monitorId && each.length === length)
      .filter(({ startsAt }) => from <= startsAt && startsAt < to)
      .sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime());
  return {
    async write(written) {
      for (const rollUp of written) {
        const key = `${rollUp.monitorId}/${rollUp.length}/${rollUp.startsAt.getTime()}`;
        rollUps.set(key, keepRecord({ ...rollUp }));
      }
    },
    read,
    readRanges: (monitorId, ranges) =>
      Promise.all(ranges.map(({ length, from, to }) => read(monitorId, length, from, to))),
    async writeEnds(written) {
      for (const end of written) {
        const others = (ends.get(end.monitorId) ?? []).filter(({ hour }) => hour.getTime() !== end.hour.getTime());
        const sorted = [...others, end].sort((a, b) => a.hour.getTime() - b.hour.getTime());
        ends.set(end.monitorId, sorted.slice(-MOST_HOUR_ENDS));
      }
    },
    async endsBefore(monitorIds, hour) {
      return new Map(
        monitorIds.flatMap((id) => {
          const last = ends.get(id)?.findLast((end) => end.hour < hour);
          return last === undefined ? [] : [[id, last] as const];
        }),
      );
    },
    async remove(monitorId) {
      for (const key of [...rollUps.keys()]) if (key.startsWith(`${monitorId}/`)) rollUps.delete(key);
      ends.delete(monitorId);
    },
  };
}
