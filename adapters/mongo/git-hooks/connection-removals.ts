import type { Db } from 'mongodb';
import { z } from 'zod';
import type { ConnectionRemoval } from '../../../domain/git-hooks/connection.ts';
import type { GitConnectionStore } from '../../../domain/git-hooks/ports.ts';
import { GIT_PROVIDERS } from '../../../domain/git-provider.ts';
import { mongoCall } from '../connect.ts';
import { insertIfNew } from '../insert-new.ts';
import { readDocument } from '../read-document.ts';
import { sealedSecretSchema } from '../sealed-secret-schema.ts';
import { COLLECTIONS } from './indexes.ts';

interface RemovalDocument extends Omit<ConnectionRemoval, 'id'> {
  readonly _id: string;
}

const removalSchema = z.object({
  _id: z.string(),
  org: z.string(),
  provider: z.enum(GIT_PROVIDERS),
  repository: z.string(),
  apiUrl: z.string().nullable(),
  token: sealedSecretSchema.nullable(),
  hookAddress: z.string(),
  services: z.array(z.object({ serviceId: z.string(), service: z.string() })).default([]),
  askedBy: z.string().nullable().default(null),
  requestId: z.string().nullable().default(null),
  askedAt: z.date(),
});

/** Connections that are being removed, in MongoDB: one document each, gone with the last that is left of them. */
export function createConnectionRemovals({
  db,
}: {
  readonly db: Db;
}): Pick<GitConnectionStore, 'beginRemoval' | 'findRemoval' | 'listRemovals' | 'endRemoval'> {
  const collection = db.collection<RemovalDocument>(COLLECTIONS.removals);
  return {
    beginRemoval: ({ id, ...fields }) => insertIfNew(collection, { _id: id, ...fields }),
    async findRemoval(id) {
      const document = await mongoCall(() => collection.findOne({ _id: id }));
      return document === null ? null : parseRemoval(document);
    },
    async listRemovals(before, limit) {
      const filter = { askedAt: { $lt: before } };
      const documents = await mongoCall(() => collection.find(filter).sort({ askedAt: 1 }).limit(limit).toArray());
      return documents.map(parseRemoval);
    },
    async endRemoval(id) {
      await mongoCall(() => collection.deleteOne({ _id: id }));
    },
  };
}

function parseRemoval(document: unknown): ConnectionRemoval {
  const { _id, ...removal } = readDocument('removal of a git connection', removalSchema, document);
  return { id: _id, ...removal };
}
