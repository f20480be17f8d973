import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import { DATABASE_ACCESS } from '../../../domain/catalog/catalog.ts';
import { DATABASE_ENGINES } from '../../../domain/databases/engines.ts';
import type { DatabaseRecords } from '../../../domain/databases/ports.ts';
import type { DatabaseRecord, StoredLogin } from '../../../domain/databases/record.ts';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { insertIfNew } from '../insert-new.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { sealedSecretSchema } from '../sealed-secret-schema.ts';
import { COLLECTIONS } from './indexes.ts';

interface DatabaseDocument extends Omit<DatabaseRecord, 'id'> {
  readonly _id: string;
}

const login = z.object({ user: z.string(), password: sealedSecretSchema, issuedAt: z.date() });
const recordSchema = z.object({
  _id: z.string(),
  engine: z.enum(DATABASE_ENGINES),
  database: z.string(),
  serviceId: z.string(),
  // Absent in records of before.
  consumes: z
    .object({ service: z.string(), serviceId: z.string(), access: z.enum(DATABASE_ACCESS) })
    .nullable()
    .default(null),
  earlierServiceIds: z.array(z.string()).default([]),
  service: z.string(),
  environment: z.enum(ENVIRONMENTS),
  org: z.string(),
  state: z.enum(['active', 'kept', 'dropping']),
  dropAfter: z.date().nullable(),
  login,
  next: login.nullable(),
  retiring: z.string().nullable(),
  // Absent in records of before.
  retired: login.nullable().default(null),
  mark: z.number().nullable().default(null),
  createdAt: z.date(),
});

/** Records of databases in MongoDB: one document each, changed conditionally on what decides. */
export function createDatabaseRecords({ db }: { db: Db }): DatabaseRecords {
  const collection = db.collection<DatabaseDocument>(COLLECTIONS.databases);
  const update = async (filter: Record<string, unknown>, set: Partial<DatabaseRecord>): Promise<boolean> => {
    const result = await mongoCall(() => collection.updateOne(filter as Filter<DatabaseDocument>, { $set: set }));
    return result.matchedCount === 1;
  };
  const find = async (id: string): Promise<DatabaseRecord | null> => {
    const document = await readConfirmed(collection, { _id: id });
    return document === null ? null : readRecord(document);
  };
  return {
    async claim({ id, ...fields }) {
      await insertIfNew(collection, { _id: id, ...fields });
      const stored = await find(id);
      if (stored !== null) return stored;
      throw new FairleadError('CONFLICT', `The record of the database ${id} was just removed`, { retryable: true });
    },
    find,
    async ofService(serviceId) {
      const documents = await mongoCall(() => collection.find({ serviceId }).sort({ _id: 1 }).toArray());
      return documents.map(readRecord);
    },
    async consumersOf(serviceId) {
      const filter = { 'consumes.serviceId': serviceId } as Filter<DatabaseDocument>;
      const documents = await mongoCall(() => collection.find(filter).sort({ _id: 1 }).toArray());
      return documents.map(readRecord);
    },
    async earlierServiceIds(serviceIds) {
      const filter = { serviceId: { $in: [...serviceIds] }, 'earlierServiceIds.0': { $exists: true } };
      const documents = await mongoCall(() => collection.find(filter as Filter<DatabaseDocument>).toArray());
      return [...new Set(documents.flatMap((document) => readRecord(document).earlierServiceIds))];
    },
    async adopt(id, from, { serviceId, org }) {
      const change = {
        $set: { state: 'active', dropAfter: null, serviceId, org },
        $addToSet: { earlierServiceIds: from },
      } as const;
      const kept = { _id: id, serviceId: from, state: 'kept' } as const;
      return (await mongoCall(() => collection.updateOne(kept, change))).matchedCount === 1;
    },
    keep: (id, serviceId, dropAfter) => update({ _id: id, serviceId, state: 'active' }, { state: 'kept', dropAfter }),
    keepLonger: (id, dropAfter, until) => update({ _id: id, state: 'kept', dropAfter }, { dropAfter: until }),
    startDropping: (id, dropAfter) =>
      update({ _id: id, state: { $in: ['kept', 'dropping'] }, dropAfter }, { state: 'dropping' }),
    async removeDropped(id) {
      await mongoCall(() => collection.deleteOne({ _id: id, state: 'dropping' }));
    },
    replaceLogin: (id, from, to) => update({ _id: id, ...isLogin('login', from) }, { login: to }),
    prepareLogin: (id, seen, next) =>
      update({ _id: id, state: 'active', next: null, retiring: null, ...isLogin('login', seen) }, { next }),
    async dropPrepared(id, next) {
      await update({ _id: id, ...isLogin('next', next) }, { next: null });
    },
    async promoteLogin(id, next) {
      const found = await find(id);
      const retired = found?.login ?? null;
      const retiring = retired?.user ?? null;
      return update({ _id: id, ...isLogin('next', next) }, { login: next, next: null, retiring, retired, mark: null });
    },
    async noteMark(id, current, mark) {
      await update({ _id: id, retiring: { $ne: null }, mark: null, ...isLogin('login', current) }, { mark });
    },
    async endRetiring(id, current, user) {
      const ended = { retiring: null, retired: null, mark: null };
      await update({ _id: id, retiring: user, ...isLogin('login', current) }, ended);
    },
    async usedEngines() {
      const engines = await mongoCall(() => collection.distinct('engine'));
      return DATABASE_ENGINES.filter((engine) => engines.includes(engine));
    },
    async list({ cursor, limit }) {
      const after = decodeCursor(cursor, z.tuple([z.string().max(200)]));
      const filter = after === null ? {} : { _id: { $gt: after[0] } };
      const documents = await mongoCall(() =>
        collection
          .find(filter)
          .sort({ _id: 1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readRecord), limit, ({ id }) => [id]);
    },
  };
}

function isLogin(path: 'login' | 'next', { user, password }: StoredLogin): Record<string, string> {
  return { [`${path}.user`]: user, [`${path}.password.sealed`]: password.sealed };
}

function readRecord(document: unknown): DatabaseRecord {
  const { _id, ...record } = recordSchema.parse(document);
  return { id: _id, ...record };
}
