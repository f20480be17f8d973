import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import { GRANT_STATUSES, type Grant } from '../../../domain/grants/grant.ts';
import type { GrantStore } from '../../../domain/grants/ports.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { insertIfNew } from '../insert-new.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { COLLECTIONS } from './indexes.ts';

interface GrantDocument extends Omit<Grant, 'id'> {
  readonly _id: string;
}

const party = z.object({ serviceId: z.string(), name: z.string(), org: z.string() });
const grantSchema = z.object({
  _id: z.string(),
  holder: party,
  environment: z.enum(ENVIRONMENTS),
  target: party,
  scopes: z.array(z.string()),
  granted: z.array(z.string()),
  status: z.enum(GRANT_STATUSES),
  // Of a record that does not say it, the client may have scopes.
  wasApproved: z.boolean().default(true),
  revision: z.int(),
  requestedBy: z.string(),
  requestedAt: z.date(),
  decidedBy: z.string().nullable(),
  decidedAt: z.date().nullable(),
});

/** Grants in MongoDB: one document each, replaced conditionally on its revision. */
export function createGrantStore({ db }: { db: Db }): GrantStore {
  const collection = db.collection<GrantDocument>(COLLECTIONS.grants);
  return {
    async find(id) {
      return readGrant(await mongoCall(() => collection.findOne({ _id: id })));
    },
    async findFor({ holder, environment, target }) {
      const key = { 'holder.serviceId': holder.serviceId, environment, 'target.serviceId': target.serviceId };
      return readGrant(await readConfirmed(collection, key as Filter<GrantDocument>));
    },
    insert: ({ id, ...fields }) => insertIfNew(collection, { _id: id, ...fields }),
    async replace({ id, ...fields }, revision) {
      const { matchedCount } = await mongoCall(() => collection.replaceOne({ _id: id, revision }, fields));
      return matchedCount === 1;
    },
    async list({ org, status }, { cursor, limit }) {
      const conditions = [
        ...(org === null ? [] : [{ $or: [{ 'holder.org': org }, { 'target.org': org }] }]),
        ...(status === undefined ? [] : [{ status }]),
        olderThan('requestedAt', decodeCursor(cursor, timeAndId)),
      ];
      const documents = await mongoCall(() =>
        collection
          .find({ $and: conditions } as Filter<GrantDocument>)
          .sort({ requestedAt: -1, _id: -1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(parseGrant), limit, ({ requestedAt, id }) => [requestedAt.getTime(), id]);
    },
    async ofService(serviceId) {
      const filter = { $or: [{ 'holder.serviceId': serviceId }, { 'target.serviceId': serviceId }] };
      return (await mongoCall(() => collection.find(filter as Filter<GrantDocument>).toArray())).map(parseGrant);
    },
    async remove(id) {
      await mongoCall(() => collection.deleteOne({ _id: id }));
    },
  };
}

function readGrant(document: unknown): Grant | null {
  return document === null ? null : parseGrant(document);
}

function parseGrant(document: unknown): Grant {
  const { _id, ...grant } = grantSchema.parse(document);
  return { id: _id, ...grant };
}
