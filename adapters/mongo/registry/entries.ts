import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import type { EntryStore } from '../../../domain/registry/ports.ts';
import type { ServiceEntry } from '../../../domain/registry/service-entry.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { insertIfNew } from '../insert-new.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { readEntry } from './entry-document.ts';
import { COLLECTIONS } from './indexes.ts';

interface EntryDocument extends Omit<ServiceEntry, 'id'> {
  readonly _id: string;
}

const nameAndId = z.tuple([z.string().max(100), z.string().max(100)]);

/** Entries of the service registry in MongoDB: one document a service. */
export function createEntryStore({ db }: { readonly db: Db }): EntryStore {
  const collection = db.collection<EntryDocument>(COLLECTIONS.entries);
  return {
    async find(id) {
      const document = await readConfirmed(collection, { _id: id } as Filter<EntryDocument>);
      return document === null ? null : readEntry(document);
    },
    async findByName(name) {
      const newest = { serviceSince: -1, _id: -1 } as const;
      const [document] = await mongoCall(() =>
        collection.find({ name, removedAt: null }).sort(newest).limit(1).toArray(),
      );
      return document === undefined ? null : readEntry(document);
    },
    async list({ org, environment }, { cursor, limit }) {
      const after = decodeCursor(cursor, nameAndId);
      const filter = {
        removedAt: null,
        ...(org === null ? {} : { org }),
        ...(environment === undefined ? {} : { [`environments.${environment}`]: { $exists: true } }),
        ...(after === null ? {} : { $or: [{ name: { $gt: after[0] } }, { name: after[0], _id: { $gt: after[1] } }] }),
      } as Filter<EntryDocument>;
      const documents = await mongoCall(() =>
        collection
          .find(filter)
          .sort({ name: 1, _id: 1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readEntry), limit, ({ name, id }) => [name, id]);
    },
    insert: ({ id, ...fields }) => insertIfNew(collection, { _id: id, ...fields }),
    async replace({ id, ...fields }, seen) {
      const result = await mongoCall(() => collection.updateOne({ _id: id, revision: seen }, { $set: fields }));
      return result.matchedCount === 1;
    },
  };
}
