import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import {
  BACKUP_ENGINES,
  BACKUP_KINDS,
  BACKUP_STATUSES,
  BACKUP_TIERS,
  type Backup,
  type BackupStatus,
  type ListedBackup,
} from '../../../domain/backups/backup.ts';
import { type BackupFilter, type BackupStore, RECORD_KEPT_DAYS } from '../../../domain/backups/ports.ts';
import type { Clock } from '../../../domain/clock.ts';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { AT_EXPIRY, createExpirySweep } from '../expiry-sweep.ts';
import { insertIfNew, insertMissing } from '../insert-new.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';

interface BackupDocument extends Omit<Backup, 'id' | 'figures'> {
  readonly _id: string;
  /** Names of tables and collections hold characters that are special in names of fields. */
  readonly figures: readonly { readonly name: string; readonly count: number }[] | null;
  /** Which attempt verifies it, or did so last; absent before one has begun. */
  readonly verifying?: string;
  /** Null while there is an archive, or may be one. */
  readonly expiresAt: Date | null;
}

const problem = z.object({ code: z.string(), message: z.string() }).nullable();

const listedSchema = z.object({
  _id: z.string(),
  serviceId: z.string().nullable(),
  service: z.string().nullable(),
  environment: z.enum(ENVIRONMENTS).nullable(),
  engine: z.enum(BACKUP_ENGINES),
  databaseName: z.string(),
  kind: z.enum(BACKUP_KINDS),
  tier: z.enum(BACKUP_TIERS),
  night: z.string().nullable(),
  status: z.enum(BACKUP_STATUSES),
  requestedBy: z.string(),
  startedAt: z.date(),
  finishedAt: z.date().nullable(),
  sizeBytes: z.number().nullable(),
  sha256: z.string().nullable(),
  objectKey: z.string().nullable(),
  uploads: z.array(z.string()).default([]),
  problem,
  verification: z.object({ at: z.date(), problem }).nullable(),
  // Absent in records of before.
  triedAt: z.date().nullable().default(null),
});

const backupSchema = listedSchema.extend({
  figures: z
    .array(z.object({ name: z.string(), count: z.number() }))
    .nullable()
    .transform((rows) => rows && Object.fromEntries(rows.map(({ name, count }) => [name, count]))),
});

/** Records of backups in MongoDB: one document each, changed on the condition of its status. */
export function createBackupStore(deps: { db: Db; now: Clock }): BackupStore {
  const { db, now } = deps;
  const collection = db.collection<BackupDocument>(COLLECTIONS.backups);
  const sweep = createExpirySweep(deps, COLLECTIONS.backups, AT_EXPIRY);
  const toDocument = ({ id, figures, ...fields }: Backup): BackupDocument => {
    return { _id: id, ...fields, figures: toRows(figures), expiresAt: expiryOf(fields.status, now()) };
  };
  return {
    async insert(backup) {
      await sweep();
      return await insertIfNew(collection, toDocument(backup));
    },
    async insertAll(backups) {
      if (backups.length === 0) return;
      await sweep();
      await insertMissing(collection, backups.map(toDocument));
    },
    async find(id) {
      const document = await readConfirmed(collection, { _id: id });
      return document === null ? null : parseBackup(document);
    },
    async list(filter, { cursor, limit }) {
      const conditions = [toQuery(filter), olderThan('startedAt', decodeCursor(cursor, timeAndId))];
      const documents = await mongoCall(() =>
        collection
          .find({ $and: conditions } as Filter<BackupDocument>, { projection: { figures: 0 } })
          .sort({ startedAt: -1, _id: -1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(parseListed), limit, ({ startedAt, id }) => [startedAt.getTime(), id]);
    },
    async change(id, from, { figures, ...fields }) {
      const $set = {
        ...fields,
        ...(figures === undefined ? {} : { figures: toRows(figures) }),
        ...(fields.status === undefined ? {} : { expiresAt: expiryOf(fields.status, now()) }),
      };
      return (await mongoCall(() => collection.updateOne({ _id: id, status: from }, { $set }))).matchedCount === 1;
    },
    async noteUpload(id, key) {
      const filter = { _id: id, status: 'running', uploads: { $ne: key } } as const;
      const note = { $push: { uploads: key } };
      return (await mongoCall(() => collection.updateOne(filter, note))).matchedCount === 1;
    },
    async setProgress(id, sizeBytes) {
      await mongoCall(() => collection.updateOne({ _id: id, status: 'running' }, { $set: { sizeBytes } }));
    },
    async beginVerification(id, attempt, at) {
      const begin = { $set: { verifying: attempt, triedAt: at } };
      return (await mongoCall(() => collection.updateOne({ _id: id, status: 'completed' }, begin))).matchedCount === 1;
    },
    async setVerification(id, attempt, verification) {
      const filter = { _id: id, status: 'completed', verifying: attempt } as const;
      await mongoCall(() => collection.updateOne(filter, { $set: { verification } }));
    },
    async lastNightBefore(night) {
      const filter = { night: { $ne: null, $lt: night }, status: { $ne: 'missed' } } as Filter<BackupDocument>;
      const options = { projection: { figures: 0 } } as const;
      const [document] = await mongoCall(() => collection.find(filter, options).sort({ night: -1 }).limit(1).toArray());
      return document === undefined ? null : parseListed(document).night;
    },
  };
}

function expiryOf(status: BackupStatus, now: Date): Date | null {
  if (status === 'running' || status === 'completed') return null;
  return new Date(now.getTime() + RECORD_KEPT_DAYS * 86_400_000);
}

function toRows(figures: Backup['figures']): BackupDocument['figures'] {
  return figures && Object.entries(figures).map(([name, count]) => ({ name, count }));
}

function toQuery({ statuses, since, serviceIds, ...fields }: BackupFilter): Record<string, unknown> {
  return {
    ...(serviceIds === undefined ? {} : { serviceId: { $in: serviceIds } }),
    ...fields,
    ...(statuses === undefined ? {} : { status: { $in: statuses } }),
    ...(since === undefined ? {} : { startedAt: { $gte: since } }),
  };
}

function parseListed(document: unknown): ListedBackup {
  const { _id, ...backup } = readDocument('backup', listedSchema, document);
  return { id: _id, ...backup };
}

function parseBackup(document: unknown): Backup {
  const { _id, ...backup } = readDocument('backup', backupSchema, document);
  return { id: _id, ...backup };
}
