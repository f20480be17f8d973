import type { Collection, Db, Filter } from 'mongodb';
import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import { type Monitor, shardOf } from '../../../domain/monitors/monitor.ts';
import type { MonitorFilter, MonitorStore } from '../../../domain/monitors/ports.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, timeAndId, toPage } from '../cursor.ts';
import { insertIfNew } from '../insert-new.ts';
import { COLLECTIONS } from './indexes.ts';
import { type MonitorDocument, readMonitor } from './monitor-document.ts';

const nameAndId = z.tuple([z.string().max(100), z.string().max(100)]);

/** The id of the one counter of numbers. */
export const LAST_NUMBER = 'last';

/** Monitors in MongoDB: one document each. */
export function createMonitorStore({ db }: { readonly db: Db }): MonitorStore {
  const collection: Collection<MonitorDocument> = db.collection(COLLECTIONS.monitors);
  const numbers: Collection<{ readonly _id: string; readonly number: number }> = db.collection(COLLECTIONS.numbers);
  const findBy = async (filter: Filter<MonitorDocument>): Promise<Monitor | null> => {
    const document = await mongoCall(() => collection.findOne(filter));
    return document === null ? null : readMonitor(document);
  };
  const listBy = (filter: Filter<MonitorDocument>, sort: Record<string, 1>, limit: number) =>
    mongoCall(() =>
      collection
        .find(filter)
        .sort(sort)
        .limit(limit + 1)
        .toArray(),
    );
  return {
    find: (id) => findBy({ _id: id }),
    findByKey: (key) => findBy({ key }),
    async list(filter, { cursor, limit }) {
      const conditions = { $and: [conditionsOf(filter), afterName(decodeCursor(cursor, nameAndId))] };
      const documents = await listBy(conditions, { serviceName: 1, _id: 1 }, limit);
      const page = toPage(documents, limit, ({ serviceName, _id }) => [serviceName, _id]);
      return { ...page, items: page.items.map(readMonitor) };
    },
    async listShard(shard, changedSince, { cursor, limit }) {
      const since = changedSince === null ? {} : { updatedAt: { $gte: changedSince } };
      const conditions = { $and: [{ shard }, since, afterTime(decodeCursor(cursor, timeAndId))] };
      const documents = await listBy(conditions, { updatedAt: 1, _id: 1 }, limit);
      const page = toPage(documents, limit, ({ updatedAt, _id }) => [updatedAt.getTime(), _id]);
      return { ...page, items: page.items.map(readMonitor) };
    },
    async nextNumber() {
      const update = { $inc: { number: 1 } };
      const options = { upsert: true, returnDocument: 'after' } as const;
      const next = await mongoCall(() => numbers.findOneAndUpdate({ _id: LAST_NUMBER }, update, options));
      return next?.number ?? 1;
    },
    insert: ({ id, ...fields }) => insertIfNew(collection, { _id: id, ...fields, shard: shardOf(fields) }),
    async replace({ id, ...fields }) {
      const known = { _id: id, revision: fields.revision - 1 };
      const next = { ...fields, shard: shardOf(fields) };
      const { matchedCount } = await mongoCall(() => collection.replaceOne(known, next));
      if (matchedCount === 0) throw changedMeanwhile(fields.serviceName);
    },
    async remove({ id, revision }) {
      const { deletedCount } = await mongoCall(() => collection.deleteOne({ _id: id, revision }));
      return deletedCount === 1;
    },
  };
}

function conditionsOf({ org, archived, publicOnly, serviceName }: MonitorFilter): Filter<MonitorDocument> {
  return {
    ...(org !== null && { org }),
    ...(archived === true && { archivedAt: { $ne: null } }),
    ...(archived === false && { archivedAt: null }),
    ...(publicOnly === true && { isPublic: true }),
    ...(serviceName !== undefined && { serviceName }),
  };
}

function afterName(after: readonly [string, string] | null): Filter<MonitorDocument> {
  if (after === null) return {};
  const [serviceName, id] = after;
  return { $or: [{ serviceName: { $gt: serviceName } }, { serviceName, _id: { $gt: id } }] };
}

function afterTime(after: readonly [number, string] | null): Filter<MonitorDocument> {
  if (after === null) return {};
  const updatedAt = new Date(after[0]);
  return { $or: [{ updatedAt: { $gt: updatedAt } }, { updatedAt, _id: { $gt: after[1] } }] };
}

function changedMeanwhile(name: string): FairleadError {
  const message = `Another request is changing the monitor of ${name}; try again`;
  return new FairleadError('CONFLICT', message, { retryable: true });
}
