import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import { BACKUP_TIERS } from '../../../domain/backups/backup.ts';
import type { Clock } from '../../../domain/clock.ts';
import {
  PLATFORM_BACKUP_KINDS,
  PLATFORM_BACKUP_STATUSES,
  PLATFORM_RECORD_KEPT_DAYS,
  type PlatformBackup,
} from '../../../domain/platform-backup/backup.ts';
import type { PlatformBackupStore } from '../../../domain/platform-backup/ports.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { AT_EXPIRY, createExpirySweep } from '../expiry-sweep.ts';
import { insertIfNew } from '../insert-new.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';

interface RecordDocument extends Omit<PlatformBackup, 'id'> {
  readonly _id: string;
  readonly expiresAt: Date;
}

const recordSchema = z.object({
  _id: z.string(),
  kind: z.enum(PLATFORM_BACKUP_KINDS),
  tier: z.enum(BACKUP_TIERS),
  night: z.string().nullable(),
  status: z.enum(PLATFORM_BACKUP_STATUSES),
  requestedBy: z.string(),
  startedAt: z.date(),
  finishedAt: z.date().nullable(),
  sizeBytes: z.number().nullable(),
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
});

/** Records of backups of the platform in MongoDB, one document each. */
export function createPlatformBackupStore(deps: { db: Db; now: Clock }): PlatformBackupStore {
  const collection = deps.db.collection<RecordDocument>(COLLECTIONS.platformBackups);
  const sweep = createExpirySweep(deps, COLLECTIONS.platformBackups, AT_EXPIRY);
  return {
    async insert({ id, ...fields }) {
      await sweep();
      const expiresAt = new Date(fields.startedAt.getTime() + PLATFORM_RECORD_KEPT_DAYS * 86_400_000);
      return await insertIfNew(collection, { _id: id, ...fields, expiresAt });
    },
    async find(id) {
      const document = await readConfirmed(collection, { _id: id });
      return document === null ? null : parse(document);
    },
    async list({ cursor, limit }) {
      const condition = olderThan('startedAt', decodeCursor(cursor, timeAndId)) as Filter<RecordDocument>;
      const documents = await mongoCall(() =>
        collection
          .find(condition)
          .sort({ startedAt: -1, _id: -1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(parse), limit, ({ startedAt, id }) => [startedAt.getTime(), id]);
    },
    async finish(id, end) {
      const running = { _id: id, status: 'running' } as const;
      return (await mongoCall(() => collection.updateOne(running, { $set: end }))).matchedCount === 1;
    },
    async listRunning(limit) {
      const running = { status: 'running' } as const;
      const documents = await mongoCall(() => collection.find(running).sort({ startedAt: 1 }).limit(limit).toArray());
      return documents.map(parse);
    },
    async lastNightBefore(night) {
      const filter = { night: { $ne: null, $lt: night } } as Filter<RecordDocument>;
      const [document] = await mongoCall(() => collection.find(filter).sort({ night: -1 }).limit(1).toArray());
      return document === undefined ? null : parse(document).night;
    },
  };
}

function parse(document: unknown): PlatformBackup {
  const { _id: id, ...fields } = readDocument('backup of the platform', recordSchema, document);
  return { id, ...fields };
}
