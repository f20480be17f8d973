import { Binary, type Collection, type Db } from 'mongodb';
import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { CheckResult } from '../../../domain/monitors/check-result.ts';
import { type Monitor, shardOf } from '../../../domain/monitors/monitor.ts';
import {
  inOrder,
  packResults,
  packShard,
  unpackResults,
  unpackShard,
} from '../../../domain/monitors/packed-results.ts';
import { MOST_LOOSE_HOURS, type ResultBatch, type ResultStore } from '../../../domain/monitors/ports.ts';
import { mongoCall } from '../connect.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Documents of one command. */
const AT_ONCE = 500;

interface ShardDocument {
  readonly _id: number;
  readonly fence: number;
}
/** Results of one shard, minute and holder, in chunks as they came. */
interface MinuteDocument {
  readonly _id: string;
  readonly shard: number;
  readonly minute: Date;
  readonly chunks: readonly Binary[];
  /** How many chunks: who drops the document names what it read. */
  readonly count: number;
}
/** Results of one monitor in one hour. */
interface HourDocument {
  readonly _id: string;
  readonly number: number;
  readonly hour: Date;
  readonly results: Binary;
}

const binary = z.instanceof(Binary);
const minuteSchema = z.object({
  _id: z.string(),
  minute: z.date(),
  chunks: z.array(binary),
  count: z.int(),
});
const hourSchema = z.object({ number: z.int(), hour: z.date(), results: binary });

/**
 * Results in MongoDB: packed by shard and minute as they come, and later by monitor and hour. The fence stands in the
 * document of the shard. A batch of an older holder that is under way at that very moment may still be kept: its checks
 * were made, and what follows from checks is fenced document by document, in the conditions.
 */
export function createResultStore({ db }: { readonly db: Db }): ResultStore {
  const shards: Collection<ShardDocument> = db.collection<ShardDocument>(COLLECTIONS.shards);
  const minutes: Collection<MinuteDocument> = db.collection<MinuteDocument>(COLLECTIONS.minutes);
  const hours: Collection<HourDocument> = db.collection<HourDocument>(COLLECTIONS.hours);
  const looseBetween = async (shard: number, from: Date, to: Date) => {
    const documents = await mongoCall(() => minutes.find({ shard, minute: { $gte: from, $lt: to } }).toArray());
    return documents.map((document) => readDocument('minute of results', minuteSchema, document));
  };
  const readPacked: ResultStore['readPacked'] = async (hour, numbers) => {
    const packed = new Map<number, readonly CheckResult[]>();
    for (let first = 0; first < numbers.length; first += AT_ONCE) {
      const ids = numbers.slice(first, first + AT_ONCE).map((number) => hourId(number, hour));
      const documents = await mongoCall(() => hours.find({ _id: { $in: ids } }).toArray());
      for (const document of documents) {
        const { number, results } = readDocument('hour of results', hourSchema, document);
        packed.set(number, unpackResults(bytesOf(results), hour.getTime()));
      }
    }
    return packed;
  };
  return {
    async claim(shard) {
      const options = { upsert: true, returnDocument: 'after' } as const;
      const next = await mongoCall(() => shards.findOneAndUpdate({ _id: shard }, { $inc: { fence: 1 } }, options));
      return next?.fence ?? 1;
    },
    async append({ shard, fence, results }) {
      const held = await mongoCall(() => shards.findOne({ _id: shard }));
      if (held?.fence !== fence) throw replaced();
      for (const [minute, part] of byMinute(results)) {
        const chunk = new Binary(packShard(part, minute));
        const id = `${shard}/${new Date(minute).toISOString()}/${fence}`;
        const update = {
          $setOnInsert: { shard, minute: new Date(minute) },
          $push: { chunks: chunk },
          $inc: { count: 1 },
        };
        await mongoCall(() => minutes.updateOne({ _id: id }, update, { upsert: true }));
      }
    },
    async read({ number }, from, to) {
      const found: CheckResult[] = [];
      const firstHour = Math.floor(from.getTime() / HOUR_MS) * HOUR_MS;
      for (let hour = firstHour; hour < to.getTime(); hour += HOUR_MS) {
        found.push(...((await readPacked(new Date(hour), [number])).get(number) ?? []));
      }
      const firstMinute = new Date(Math.floor(from.getTime() / MINUTE_MS) * MINUTE_MS);
      for (const document of await looseBetween(shardOf({ number }), firstMinute, to)) {
        for (const { number: of, ...result } of unpackMinute(document)) if (of === number) found.push(result);
      }
      return inOrder(found.filter(({ at }) => from.getTime() <= at && at < to.getTime()));
    },
    async looseHours(shard) {
      const found: Date[] = [];
      let from = new Date(0);
      while (found.length < MOST_LOOSE_HOURS) {
        const [first] = await mongoCall(() =>
          minutes
            .find({ shard, minute: { $gte: from } }, { projection: { minute: 1 } })
            .sort({ minute: 1 })
            .limit(1)
            .toArray(),
        );
        if (first === undefined) break;
        const hour = Math.floor(first.minute.getTime() / HOUR_MS) * HOUR_MS;
        found.push(new Date(hour));
        from = new Date(hour + HOUR_MS);
      }
      return found;
    },
    async readLoose(shard, hour) {
      const documents = await looseBetween(shard, hour, new Date(hour.getTime() + HOUR_MS));
      const byMonitor = new Map<number, CheckResult[]>();
      for (const { number, ...result } of documents.flatMap(unpackMinute)) {
        const results = byMonitor.get(number) ?? [];
        results.push(result);
        byMonitor.set(number, results);
      }
      const results = new Map([...byMonitor].map(([number, found]) => [number, inOrder(found)] as const));
      return { results, parts: documents.map(({ _id, count }) => ({ id: _id, chunks: count })) };
    },
    readPacked,
    async pack(hour, results) {
      const known = await readPacked(hour, [...results.keys()]);
      const writes = [...results].map(([number, found]) => {
        const all = inOrder([...(known.get(number) ?? []), ...found]);
        const fields = { number, hour, results: new Binary(packResults(all, hour.getTime())) };
        return { updateOne: { filter: { _id: hourId(number, hour) }, update: { $set: fields }, upsert: true } };
      });
      for (let first = 0; first < writes.length; first += AT_ONCE) {
        await mongoCall(() => hours.bulkWrite(writes.slice(first, first + AT_ONCE), { ordered: false }));
      }
    },
    async dropLoose(parts) {
      const drops = parts.map(({ id, chunks }) => ({ deleteOne: { filter: { _id: id, count: chunks } } }));
      if (drops.length > 0) await mongoCall(() => minutes.bulkWrite(drops, { ordered: false }));
    },
    async dropPackedBefore(hour) {
      await mongoCall(() => hours.deleteMany({ hour: { $lt: hour } }));
    },
  };
}

function byMinute(results: ResultBatch['results']): ReadonlyMap<number, ResultBatch['results'][number][]> {
  const parts = new Map<number, ResultBatch['results'][number][]>();
  for (const result of results) {
    const minute = Math.floor(result.at / MINUTE_MS) * MINUTE_MS;
    const part = parts.get(minute) ?? [];
    part.push(result);
    parts.set(minute, part);
  }
  return parts;
}

function unpackMinute({ minute, chunks }: z.output<typeof minuteSchema>) {
  return chunks.flatMap((chunk) => unpackShard(bytesOf(chunk), minute.getTime()));
}

function bytesOf(binary: Binary): Uint8Array {
  return binary.buffer.subarray(0, binary.position);
}

function hourId(number: Monitor['number'], hour: Date): string {
  return `${number}/${hour.toISOString()}`;
}

function replaced(): FairleadError {
  return new FairleadError('CONFLICT', 'Another worker checks these monitors now; this one stops.');
}
