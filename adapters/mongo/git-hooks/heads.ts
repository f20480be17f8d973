import type { Db } from 'mongodb';
import { z } from 'zod';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import type { HeadKey, HeadStore, KnownHead } from '../../../domain/git-hooks/ports.ts';
import { mongoCall } from '../connect.ts';
import { insertIfNew } from '../insert-new.ts';
import { readDocument } from '../read-document.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS } from './indexes.ts';

interface HeadDocument extends HeadKey, KnownHead {
  readonly _id: string;
}

const headSchema = z.object({
  _id: z.string(),
  connectionId: z.string(),
  serviceId: z.string(),
  environment: z.enum(ENVIRONMENTS),
  ref: z.string(),
  seen: z.string(),
  built: z.string().nullable(),
});

/** Known heads in MongoDB, one document for each service, environment, and branch or tag. */
export function createHeadStore({ db }: { db: Db }): HeadStore {
  const collection = db.collection<HeadDocument>(COLLECTIONS.heads);
  return {
    async find(key) {
      const document = await mongoCall(() => collection.findOne({ _id: idOf(key) }));
      return document === null ? null : parseHead(document);
    },
    async list(connectionId) {
      return (await mongoCall(() => collection.find({ connectionId }).toArray())).map(parseHead);
    },
    async set(key, { seen, built }, from) {
      const { connectionId, serviceId, environment, ref } = key;
      const _id = idOf(key);
      if (from === null) {
        const document = { _id, connectionId, serviceId, environment, ref, seen, built: built ?? null };
        await insertIfNew(collection, document);
        return;
      }
      if (from !== undefined) {
        const $set = { seen, ...(built === undefined ? {} : { built }) };
        await mongoCall(() => collection.updateOne({ _id, seen: from }, { $set }));
        return;
      }
      const onInsert = { connectionId, serviceId, environment, ref, ...(built === undefined ? { built: null } : {}) };
      const change = { $set: { seen, ...(built === undefined ? {} : { built }) }, $setOnInsert: onInsert };
      await upsertOnceMore(() => collection.updateOne({ _id }, change, { upsert: true }));
    },
    async removeAll(connectionId) {
      await mongoCall(() => collection.deleteMany({ connectionId }));
    },
  };
}

function idOf({ connectionId, serviceId, environment, ref }: HeadKey): string {
  return `${connectionId}/${serviceId}/${environment}/${ref}`;
}

function parseHead(document: unknown): HeadKey & KnownHead {
  const { _id, ...head } = readDocument('git head', headSchema, document);
  return head;
}
