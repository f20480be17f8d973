import { type Db, type Filter, MongoBulkWriteError, type Sort } from 'mongodb';
import { z } from 'zod';
import { headOf } from '../../../domain/audit-ledger/chain.ts';
import type { ChainHead, LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import type { EventFilter, EventStore } from '../../../domain/audit-ledger/ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { type EventDocument, eventDocument, readEvent } from './event-document.ts';
import { idOfKey } from './event-id.ts';
import { LEDGER_COLLECTIONS } from './indexes.ts';
import { createSharedAppend } from './shared-append.ts';

/** Documents fetched at once by a stream. */
const STREAM_BATCH = 500;

const BY_INDEX: Sort = { chainIndex: 1 };

/** The chains in MongoDB, one document an event. */
export function createEventStore(deps: { db: Db }): EventStore {
  const collection = deps.db.collection<EventDocument>(LEDGER_COLLECTIONS.events);

  const announced = deps.db.collection<{ readonly _id: string }>(LEDGER_COLLECTIONS.namespaces);

  async function at(namespace: string, chainIndex: number): Promise<LedgerEvent | null> {
    const document = await mongoCall(() => collection.findOne({ namespace, chainIndex }));
    return document === null ? null : readEvent(document);
  }

  async function newest(namespace: string): Promise<LedgerEvent | null> {
    const document = await mongoCall(() => collection.findOne({ namespace }, { sort: { chainIndex: -1 } }));
    return document === null ? null : readEvent(document);
  }

  /**
   * The head that an event is, once a majority has the event: what follows an event that a failover takes back would leave
   * a gap. A head that is too old does no harm, as the place after it is taken.
   */
  async function confirmedHead(event: LedgerEvent | null): Promise<ChainHead | null> {
    if (event === null) return null;
    const { namespace, chainIndex, eventHash } = event;
    const confirmed = await readConfirmed(collection, { namespace, chainIndex });
    if (confirmed?.eventHash !== eventHash) throw failedOver();
    return headOf(event);
  }

  const append = createSharedAppend(async (documents) => {
    try {
      await mongoCall(() => collection.insertMany([...documents], { ordered: true }));
      return documents.length;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      if (!(error instanceof MongoBulkWriteError)) return 0;
      // Of what stands before the refused event nobody knows whether a majority has it.
      if (error.result.getWriteConcernError() !== undefined) throw failedOver(error);
      return refusedAt(error);
    }
  });

  async function* pages(filter: Filter<EventDocument>, sort: Sort): AsyncGenerator<readonly LedgerEvent[]> {
    const cursor = collection.find(filter).sort(sort).batchSize(STREAM_BATCH).allowDiskUse();
    try {
      while (await mongoCall(() => cursor.hasNext())) yield cursor.readBufferedDocuments().map(readEvent);
    } finally {
      await cursor.close();
    }
  }

  async function* stream(filter: Filter<EventDocument>, sort: Sort): AsyncGenerator<LedgerEvent> {
    for await (const page of pages(filter, sort)) yield* page;
  }

  const between = (namespace: string, fromIndex: number, toIndex?: number): Filter<EventDocument> => {
    return { namespace, chainIndex: { $gte: fromIndex, ...(toIndex === undefined ? {} : { $lte: toIndex }) } };
  };

  return {
    async head(namespace, taken) {
      const found = taken === undefined ? null : await lastFrom(taken, (index) => at(namespace, index));
      return await confirmedHead(found ?? (await newest(namespace)));
    },
    append: (events) => append(events.map(eventDocument)),
    async find(id) {
      const document = await mongoCall(() => collection.findOne({ _id: id }));
      return document === null ? null : readEvent(document);
    },
    async findByIdempotencyKey(namespace, emitter, key) {
      const document = await readConfirmed(collection, { _id: idOfKey({ namespace, emitter, key }) });
      return document === null ? null : readEvent(document);
    },
    async list(filter, { cursor, limit }) {
      const before = decodeCursor(cursor, z.tuple([z.int(), z.int(), z.string().max(100)]));
      const documents = await mongoCall(() =>
        collection
          .find({ $and: [queryOf(filter), before === null ? {} : olderThan(before)] })
          .sort({ createdAt: -1, chainIndex: -1, _id: -1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readEvent), limit, ({ createdAt, chainIndex, id }) => [
        createdAt.getTime(),
        chainIndex,
        id,
      ]);
    },
    stream: (...range) => stream(between(...range), BY_INDEX),
    pages: (...range) => pages(between(...range), BY_INDEX),
    async namespacesOfEntity(entityId, orgSlug) {
      const filter = { entityId, ...(orgSlug === null ? {} : { orgSlug }) };
      const names = await mongoCall(() => collection.distinct('namespace', filter));
      return z.array(z.string()).parse(names).toSorted();
    },
    streamBetween: (namespace, from, to) =>
      // Times never go back within a chain, so this is the order of the chain.
      stream({ namespace, createdAt: { $gte: from, $lt: to } }, { createdAt: 1, chainIndex: 1 }),
    async announce(namespace) {
      try {
        await mongoCall(() => announced.insertOne({ _id: namespace }));
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        if ((await readConfirmed(announced, { _id: namespace })) === null) throw failedOver(error);
      }
    },
    async namespaces() {
      const names = [
        ...(await mongoCall(() => announced.distinct('_id'))),
        ...(await mongoCall(() => collection.distinct('namespace'))),
      ];
      return [...new Set(z.array(z.string()).parse(names))].toSorted();
    },
  };
}

function failedOver(cause?: unknown): FairleadError {
  return new FairleadError('UNAVAILABLE', 'The database fails over; try again shortly', { cause, retryable: true });
}

/** An ordered write ends at the first event that is refused. The server's own count is not used: the stand-in's counts that one too. */
function refusedAt({ writeErrors }: MongoBulkWriteError): number {
  return [writeErrors].flat()[0]?.index ?? 0;
}

/**
 * The last of consecutive indexes that are taken, from one on that is: steps that double, then halves. A few look-ups by
 * index, however far the chain has grown and however slow the server sorts. Null when the first is not taken after all.
 */
async function lastFrom<T>(taken: number, at: (index: number) => Promise<T | null>): Promise<T | null> {
  let low = taken;
  let last = await at(low);
  if (last === null) return null;
  let step = 1;
  let high = Number.POSITIVE_INFINITY;
  while (high - low > 1) {
    const index = high === Number.POSITIVE_INFINITY ? low + step : Math.floor((low + high) / 2);
    const found = await at(index);
    if (found === null) high = index;
    else {
      low = index;
      last = found;
      step *= 2;
    }
  }
  return last;
}

function queryOf({ orgSlug, namespace, entityId, eventType, from, to }: EventFilter): Filter<EventDocument> {
  const createdAt = { ...(from === undefined ? {} : { $gte: from }), ...(to === undefined ? {} : { $lt: to }) };
  return {
    ...(orgSlug === null ? {} : { orgSlug }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(entityId === undefined ? {} : { entityId }),
    ...(eventType === undefined ? {} : { eventType }),
    ...(from === undefined && to === undefined ? {} : { createdAt }),
  };
}

function olderThan([time, chainIndex, id]: readonly [number, number, string]): Filter<EventDocument> {
  const createdAt = new Date(time);
  return {
    $or: [
      { createdAt: { $lt: createdAt } },
      { createdAt, chainIndex: { $lt: chainIndex } },
      { createdAt, chainIndex, _id: { $lt: id } },
    ],
  };
}
