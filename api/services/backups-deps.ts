import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import type { backupsSection } from '../../adapters/env/backups.ts';
import { objectLinksSettings } from '../../adapters/env/object-store.ts';
import { createBackupStore } from '../../adapters/mongo/backups/backups.ts';
import { createRestoreStore } from '../../adapters/mongo/backups/restores.ts';
import type { MongoConnection } from '../../adapters/mongo/connect.ts';
import { createDatabaseRecords } from '../../adapters/mongo/databases/records.ts';
import { createEnsurePart } from '../../adapters/process/embedded-parts.ts';
import { createS3ObjectStore } from '../../adapters/s3/object-store.ts';
import { createBackupCommands } from '../../adapters/temporal/backup-commands.ts';
import { createDatabaseCommands } from '../../adapters/temporal/database-commands.ts';
import { createServiceDatabases } from '../../domain/backups/database-owners.ts';
import { databaseId } from '../../domain/databases/record.ts';
import type { ObjectStore } from '../../domain/objects/ports.ts';
import type { BackupsDeps } from '../backups/deps.ts';
import type { DatabasesDeps } from '../databases/routes.ts';

interface BackupsParts {
  readonly env: z.infer<z.ZodObject<typeof backupsSection>>;
  readonly db: MongoConnection['db'];
  readonly temporal: Client;
}

/** What the routes of databases and backups work with, on real adapters. */
export function composeBackups(
  parts: BackupsParts,
): Omit<BackupsDeps & DatabasesDeps, 'services' | 'audit' | 'newId' | 'now'> {
  const { env, db, temporal } = parts;
  const deps = { db, now: () => new Date() };
  const databaseRecords = createDatabaseRecords(deps);
  return {
    databaseRecords,
    databaseCommands: createDatabaseCommands(temporal),
    backups: createBackupStore(deps),
    restores: createRestoreStore(deps),
    serviceDatabases: createServiceDatabases(databaseRecords),
    isDropped: async ({ engine, databaseName }) =>
      (await databaseRecords.find(databaseId(engine, databaseName))) === null,
    backupCommands: createBackupCommands(temporal),
    hasObjectStore: (env.OBJECT_STORE_INTERNAL_HOST ?? env.OBJECT_STORE_HOST) !== undefined,
    backupArchives: composeArchives(env),
    backupNights: { isEnabled: env.BACKUP_ENABLED, hourUtc: env.BACKUP_CRON_HOUR_UTC },
    backupDownloadTtlSeconds: env.BACKUP_DOWNLOAD_TTL_SECONDS,
  };
}

/** By which links are made; null without keys. An embedded object store is started first: a link of one that is off leads nowhere. */
export function composeArchives(
  env: BackupsParts['env'],
  ensurePart = createEnsurePart(env.PARTS_ON_NEED),
): Pick<ObjectStore, 'downloadUrl'> | null {
  const store = objectLinksSettings(env);
  if (store === null) return null;
  return createS3ObjectStore({
    ...store,
    bucket: env.BACKUP_BUCKET,
    whenNeeded: () => ensurePart('object-store'),
  });
}
