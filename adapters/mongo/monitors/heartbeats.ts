import type { Db } from 'mongodb';
import { z } from 'zod';
import type { HeartbeatStore, Heartbeats } from '../../../domain/monitors/heartbeat.ts';
import { mongoCall } from '../connect.ts';
import { readDocument } from '../read-document.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS } from './indexes.ts';

type HeartbeatDocument = Partial<Heartbeats> & { readonly _id: string };

const at = z.date().nullish();
const documentSchema = z.object({ _id: z.string(), start: at, done: at, fail: at });

/** Heartbeats in MongoDB: one document a monitor. The connection writes with a majority. */
export function createHeartbeatStore({ db }: { readonly db: Db }): HeartbeatStore {
  const collection = db.collection<HeartbeatDocument>(COLLECTIONS.heartbeats);
  return {
    async put(monitorId, signal, moment) {
      const update = { $max: { [signal]: moment } };
      await upsertOnceMore(() => collection.updateOne({ _id: monitorId }, update, { upsert: true }));
    },
    async find(monitorIds) {
      const documents = await mongoCall(() => collection.find({ _id: { $in: [...monitorIds] } }).toArray());
      return new Map(documents.map(readHeartbeats));
    },
    async remove(monitorId) {
      await mongoCall(() => collection.deleteOne({ _id: monitorId }));
    },
  };
}

function readHeartbeats(document: unknown): readonly [string, Heartbeats] {
  const { _id, start, done, fail } = readDocument('heartbeat', documentSchema, document);
  return [_id, { start: start ?? null, done: done ?? null, fail: fail ?? null }];
}
