import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import type { GitConnection } from '../../../domain/git-hooks/connection.ts';
import type { GitConnectionStore } from '../../../domain/git-hooks/ports.ts';
import { REF_KINDS } from '../../../domain/git-hooks/rule.ts';
import { GIT_PROVIDERS } from '../../../domain/git-provider.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { insertIfNew } from '../insert-new.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { readDocument } from '../read-document.ts';
import { sealedSecretSchema } from '../sealed-secret-schema.ts';
import { createConnectionRemovals } from './connection-removals.ts';
import { COLLECTIONS } from './indexes.ts';

interface ConnectionDocument extends Omit<GitConnection, 'id'> {
  readonly _id: string;
}

const rule = z.object({
  kind: z.enum(REF_KINDS),
  pattern: z.string(),
  environment: z.enum(ENVIRONMENTS),
  paths: z.array(z.string()),
});

const connectionSchema = z.object({
  _id: z.string(),
  org: z.string(),
  repository: z.string(),
  repositoryKey: z.string(),
  provider: z.enum(GIT_PROVIDERS),
  proof: z.enum(['signature', 'token']),
  apiUrl: z.string().nullable(),
  services: z.array(z.object({ serviceId: z.string(), service: z.string(), rules: z.array(rule) })),
  secrets: z.array(z.object({ id: z.string(), sealed: sealedSecretSchema, createdAt: z.date() })),
  token: sealedSecretSchema.nullable(),
  tokenProblem: z.object({ code: z.string(), message: z.string(), at: z.date() }).nullable(),
  hookId: z.string().nullable(),
  paused: z.boolean(),
  pollMinutes: z.int().nullable(),
  verifiedAt: z.date().nullable(),
  lastDeliveryAt: z.date().nullable().default(null),
  refusedDeliveries: z.int().default(0),
  lastRefusedAt: z.date().nullable().default(null),
  baselineAt: z.date().nullable(),
  revision: z.int(),
  createdBy: z.string(),
  createdAt: z.date(),
  updatedAt: z.date(),
});

/** Connections in MongoDB: one document each. People's changes are made over a revision; the platform's notes are not. */
export function createGitConnectionStore({ db }: { db: Db }): GitConnectionStore {
  const collection = db.collection<ConnectionDocument>(COLLECTIONS.connections);
  const findOne = async (filter: Filter<ConnectionDocument>): Promise<GitConnection | null> => {
    const document = await mongoCall(() => collection.findOne(filter));
    return document === null ? null : parseConnection(document);
  };
  return {
    ...createConnectionRemovals({ db }),
    find: (id) => findOne({ _id: id }),
    async findFor({ org, repositoryKey }) {
      const document = await readConfirmed(collection, { org, repositoryKey });
      return document === null ? null : parseConnection(document);
    },
    insert: ({ id, ...fields }) => insertIfNew(collection, { _id: id, ...fields }),
    async replace(connection, revision) {
      const { id, verifiedAt: _verified, tokenProblem, token, createdAt: _created, ...rest } = connection;
      const { lastDeliveryAt: _last, refusedDeliveries: _count, lastRefusedAt: _refused, ...fields } = rest;
      // A new token has no problem yet; the problem of the old one is written beside this.
      const $set = { ...fields, token, revision: revision + 1, ...(tokenProblem === null ? { tokenProblem } : {}) };
      const { matchedCount } = await mongoCall(() => collection.updateOne({ _id: id, revision }, { $set }));
      return matchedCount === 1;
    },
    async list({ org }, { cursor, limit }) {
      const conditions = [...(org === null ? [] : [{ org }]), olderThan('createdAt', decodeCursor(cursor, timeAndId))];
      const documents = await mongoCall(() =>
        collection
          .find({ $and: conditions } as Filter<ConnectionDocument>)
          .sort({ createdAt: -1, _id: -1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(parseConnection), limit, ({ createdAt, id }) => [createdAt.getTime(), id]);
    },
    async remove(id) {
      return (await mongoCall(() => collection.deleteOne({ _id: id }))).deletedCount === 1;
    },
    async verify(id, at) {
      // A change that was made from before would poll again.
      const noted = { $set: { verifiedAt: at, pollMinutes: null }, $inc: { revision: 1 } };
      const { modifiedCount } = await mongoCall(() => collection.updateOne({ _id: id, verifiedAt: null }, noted));
      return modifiedCount === 1;
    },
    async noteDeliveries(id, { lastDeliveryAt, refusedDeliveries, lastRefusedAt }) {
      if (lastDeliveryAt === null) {
        const counted = { $inc: { refusedDeliveries }, $set: { lastRefusedAt } };
        await mongoCall(() => collection.updateOne({ _id: id }, counted));
        return;
      }
      // Another process may have noted a later one.
      const before = { _id: id, lastDeliveryAt: { $not: { $gt: lastDeliveryAt } } } as Filter<ConnectionDocument>;
      const noted = { $set: { lastDeliveryAt, refusedDeliveries, lastRefusedAt } };
      await mongoCall(() => collection.updateOne(before, noted));
    },
    async setBaseline(id, revision, at) {
      await mongoCall(() => collection.updateOne({ _id: id, revision }, { $set: { baselineAt: at } }));
    },
    async replaceSealed(id, place, { from, to }) {
      const sealed = { keyId: to.keyId, sealed: to.sealed };
      const inc = { $inc: { revision: 1 } };
      const { matchedCount } = await mongoCall(() => {
        if (place.kind === 'token') {
          const there = { _id: id, 'token.keyId': from.keyId, 'token.sealed': from.sealed };
          return collection.updateOne(there, { $set: { token: sealed }, ...inc });
        }
        const there = { id: place.id, 'sealed.keyId': from.keyId, 'sealed.sealed': from.sealed };
        return collection.updateOne(
          { _id: id, secrets: { $elemMatch: there } } as Filter<ConnectionDocument>,
          { $set: { 'secrets.$[one].sealed': sealed }, ...inc },
          { arrayFilters: [{ 'one.id': place.id }] },
        );
      });
      return matchedCount === 1;
    },
    async setTokenProblem(id, token, problem) {
      const filter = { _id: id, 'token.sealed': token.sealed } as Filter<ConnectionDocument>;
      await mongoCall(() => collection.updateOne(filter, { $set: { tokenProblem: problem } }));
    },
  };
}

function parseConnection(document: unknown): GitConnection {
  const { _id, ...connection } = readDocument('git connection', connectionSchema, document);
  return { id: _id, ...connection };
}
