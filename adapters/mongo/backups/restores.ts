import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import { BACKUP_ENGINES } from '../../../domain/backups/backup.ts';
import { RECORD_KEPT_DAYS, type RestoreStore } from '../../../domain/backups/ports.ts';
import { RESTORE_MODES, RESTORE_PHASES, RESTORE_STATUSES, type Restore } from '../../../domain/backups/restore.ts';
import type { Clock } from '../../../domain/clock.ts';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import type { Page, PageRequest } from '../../../domain/page.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { AT_EXPIRY, createExpirySweep } from '../expiry-sweep.ts';
import { insertIfNew } from '../insert-new.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';

interface RestoreDocument extends Omit<Restore, 'id'> {
  readonly _id: string;
  readonly expiresAt: Date;
  /** Somebody ends it. Absent in records of before, and until then. */
  readonly isEnding?: boolean;
}

const restoreSchema = z.object({
  _id: z.string(),
  serviceId: z.string(),
  service: z.string().nullable(),
  environment: z.enum(ENVIRONMENTS).nullable(),
  engine: z.enum(BACKUP_ENGINES),
  databaseName: z.string(),
  backupId: z.string(),
  mode: z.enum(RESTORE_MODES),
  status: z.enum(RESTORE_STATUSES),
  phase: z.enum(RESTORE_PHASES),
  requestedBy: z.string(),
  startedAt: z.date(),
  finishedAt: z.date().nullable(),
  bytesRead: z.number(),
  keptDatabase: z.string().nullable(),
  // Absent in records of before.
  keptUntil: z.date().nullable().default(null),
  keptBytes: z.number().nullable().default(null),
  safetyBackupId: z.string().nullable(),
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
});

const NONE_KEPT = { keptDatabase: null, keptUntil: null, keptBytes: null } as const;

/** Records of restores in MongoDB: one document each, changed while the restore runs. */
export function createRestoreStore(deps: { db: Db; now: Clock }): RestoreStore {
  const collection = deps.db.collection<RestoreDocument>(COLLECTIONS.restores);
  const sweep = createExpirySweep(deps, COLLECTIONS.restores, AT_EXPIRY);
  const listThose = async (those: object, { cursor, limit }: PageRequest): Promise<Page<Restore>> => {
    const conditions = [those, olderThan('startedAt', decodeCursor(cursor, timeAndId))];
    const documents = await mongoCall(() =>
      collection
        .find({ $and: conditions } as Filter<RestoreDocument>)
        .sort({ startedAt: -1, _id: -1 })
        .limit(limit + 1)
        .toArray(),
    );
    return toPage(documents.map(parseRestore), limit, ({ startedAt, id }) => [startedAt.getTime(), id]);
  };
  return {
    async insert({ id, ...fields }) {
      await sweep();
      const expiresAt = new Date(deps.now().getTime() + RECORD_KEPT_DAYS * 86_400_000);
      return await insertIfNew(collection, { _id: id, ...fields, expiresAt });
    },
    async find(id) {
      const document = await mongoCall(() => collection.findOne({ _id: id }));
      return document === null ? null : parseRestore(document);
    },
    list: (serviceIds, page) => listThose({ serviceId: { $in: serviceIds } }, page),
    listRunning: (page) => listThose({ status: 'running' }, page),
    listKept: (page) => listThose({ keptDatabase: { $ne: null } }, page),
    async keepUntil(id, keptUntil) {
      const ended = { _id: id, status: { $ne: 'running' }, keptDatabase: { $ne: null } } as Filter<RestoreDocument>;
      return (await mongoCall(() => collection.updateOne(ended, { $set: { keptUntil } }))).matchedCount === 1;
    },
    async forgetKept(id) {
      await mongoCall(() => collection.updateOne({ _id: id }, { $set: NONE_KEPT }));
    },
    async change(id, $set) {
      const running = { _id: id, status: 'running', isEnding: { $ne: true } } as const;
      return (await mongoCall(() => collection.updateOne(running, { $set }))).matchedCount === 1;
    },
    async end(id, change) {
      const running = { _id: id, status: 'running' } as const;
      const $set = { ...change, isEnding: true };
      return (await mongoCall(() => collection.updateOne(running, { $set }))).matchedCount === 1;
    },
  };
}

function parseRestore(document: unknown): Restore {
  const { _id, ...restore } = readDocument('restore', restoreSchema, document);
  return { id: _id, ...restore };
}
