import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import { DATABASE_ACCESS } from '../../../domain/catalog/catalog.ts';
import { DATABASE_ENGINES } from '../../../domain/databases/engines.ts';
import type { DatabaseRecords, LoginPlace } from '../../../domain/databases/ports.ts';
import type { DatabaseRecord, StoredLogin } from '../../../domain/databases/record.ts';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { insertIfNew } from '../insert-new.ts';
import { pageById } from '../page-by-id.ts';
import { readAllConfirmed, readConfirmed } from '../read-confirmed.ts';
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
  generation: z.string().nullable().default(null),
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
  // Absent in records of before, as what follows with a default.
  keptBytes: z.number().nullable().default(null),
  login,
  next: login.nullable(),
  retiring: z.string().nullable(),
  // Absent in records of before.
  retired: login.nullable().default(null),
  mark: z.number().nullable().default(null),
  waits: z
    .object({
      for: z.enum(['restart', 'deploy', 'next-night']),
      buildId: z.string(),
      reason: z.string().nullable(),
      since: z.date(),
    })
    .nullable()
    .default(null),
  given: z.number().default(0),
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
    ofService: async (serviceId) => (await readAllConfirmed(collection, { serviceId })).map(readRecord),
    async consumersOf(serviceId) {
      const filter = { 'consumes.serviceId': serviceId } as Filter<DatabaseDocument>;
      return (await readAllConfirmed(collection, filter)).map(readRecord);
    },
    async earlierServiceIds(serviceIds) {
      const filter = { serviceId: { $in: [...serviceIds] }, 'earlierServiceIds.0': { $exists: true } };
      const documents = await mongoCall(() => collection.find(filter as Filter<DatabaseDocument>).toArray());
      return [...new Set(documents.flatMap((document) => readRecord(document).earlierServiceIds))];
    },
    async adopt(id, from, { serviceId, org }) {
      const change = {
        $set: { state: 'active', dropAfter: null, keptBytes: null, serviceId, org },
        $addToSet: { earlierServiceIds: from },
      } as const;
      const kept = { _id: id, serviceId: from, state: 'kept' } as const;
      return (await mongoCall(() => collection.updateOne(kept, change))).matchedCount === 1;
    },
    keep(id, serviceId, dropAfter, given) {
      // Absent in records of before.
      const isGiven = given === undefined ? {} : { given: given === 0 ? { $in: [0, null] } : given };
      return update({ _id: id, serviceId, state: 'active', ...isGiven }, { state: 'kept', dropAfter });
    },
    async give(id) {
      const active = { _id: id, state: 'active' } as const;
      const options = { returnDocument: 'after' } as const;
      const document = await mongoCall(() => collection.findOneAndUpdate(active, { $inc: { given: 1 } }, options));
      return document === null ? null : readRecord(document);
    },
    async noteKeptBytes(id, keptBytes) {
      await update({ _id: id, state: 'kept' }, { keptBytes });
    },
    keepLonger: (id, dropAfter, until) => update({ _id: id, state: 'kept', dropAfter }, { dropAfter: until }),
    startDropping: (id, dropAfter) =>
      update({ _id: id, state: { $in: ['kept', 'dropping'] }, dropAfter }, { state: 'dropping' }),
    async removeDropped(id, dropAfter) {
      await mongoCall(() => collection.deleteOne({ _id: id, state: 'dropping', dropAfter }));
    },
    reseal: (id, place, from, to) => update({ _id: id, ...isLogin(place, from) }, { [place]: to }),
    replaceLogin: (id, from, to) => update({ _id: id, ...isLogin('login', from) }, { login: to }),
    prepareLogin: (id, seen, next) =>
      update(
        { _id: id, state: 'active', next: null, retiring: null, ...isLogin('login', seen) },
        { next, waits: null },
      ),
    async noteWait(id, waits) {
      await update({ _id: id, $or: [{ next: { $ne: null } }, { retiring: { $ne: null } }] }, { waits });
    },
    async dropPrepared(id, next) {
      await update({ _id: id, ...isLogin('next', next) }, { next: null, waits: null });
    },
    async promoteLogin(id, next) {
      const found = await find(id);
      const retired = found?.login ?? null;
      const retiring = retired?.user ?? null;
      const promoted = { login: next, next: null, retiring, retired, mark: null, waits: null };
      // The one that retires is kept as it is stored: not as it was sealed before.
      const stored = retired === null ? {} : isLogin('login', retired);
      return update({ _id: id, ...isLogin('next', next), ...stored }, promoted);
    },
    async noteMark(id, current, mark) {
      await update({ _id: id, retiring: { $ne: null }, mark: null, ...isLogin('login', current) }, { mark });
    },
    async endRetiring(id, current, user) {
      const ended = { retiring: null, retired: null, mark: null, waits: null };
      await update({ _id: id, retiring: user, ...isLogin('login', current) }, ended);
    },
    async usedEngines() {
      const engines = await mongoCall(() => collection.distinct('engine'));
      return DATABASE_ENGINES.filter((engine) => engines.includes(engine));
    },
    list: (page) => pageById(collection, { page, read: readRecord, longestId: LONGEST_ID }),
    async listKept(org, page) {
      const kept = { state: { $in: ['kept', 'dropping'] }, consumes: null, ...(org === null ? {} : { org }) };
      const filter = kept as Filter<DatabaseDocument>;
      return await pageById(collection, { page, filter, read: readRecord, longestId: LONGEST_ID });
    },
    async listByLoginAge({ cursor, limit }) {
      const after = decodeCursor(cursor, ageAndId);
      const conditions = [{ state: 'active' }, after === null ? {} : isAfter(...after)];
      const documents = await mongoCall(() =>
        collection
          .find({ $and: conditions } as Filter<DatabaseDocument>)
          .sort({ 'login.issuedAt': 1, _id: 1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readRecord), limit, ({ id, login }) => [login.issuedAt.getTime(), id]);
    },
  };
}

const LONGEST_ID = 200;
/** Cursor key of the list by the age of logins. */
const ageAndId = z.tuple([z.int(), z.string().max(LONGEST_ID)]);

function isAfter(time: number, id: string): Record<string, unknown> {
  const at = new Date(time);
  return { $or: [{ 'login.issuedAt': { $gt: at } }, { 'login.issuedAt': at, _id: { $gt: id } }] };
}

function isLogin(path: LoginPlace, { user, password }: StoredLogin): Record<string, string> {
  return { [`${path}.user`]: user, [`${path}.password.sealed`]: password.sealed };
}

function readRecord(document: unknown): DatabaseRecord {
  const { _id, ...record } = recordSchema.parse(document);
  return { id: _id, ...record };
}
