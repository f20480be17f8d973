import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import type { backupsSection } from '../../adapters/env/backups.ts';
import { objectLinksSettings } from '../../adapters/env/object-store.ts';
import { createBackupStore } from '../../adapters/mongo/backups/backups.ts';
import { createRestoreStore } from '../../adapters/mongo/backups/restores.ts';
import type { MongoConnection } from '../../adapters/mongo/connect.ts';
import { createS3ObjectStore } from '../../adapters/s3/object-store.ts';
import { createBackupCommands } from '../../adapters/temporal/backup-commands.ts';
import type { ServiceDatabases } from '../../domain/backups/ports.ts';
import { databaseName } from '../../domain/databases/database-name.ts';
import type { BuildStore, ReleaseStore } from '../../domain/deploys/ports.ts';
import type { BackupsDeps } from '../backups/deps.ts';

interface BackupsParts {
  readonly env: z.infer<z.ZodObject<typeof backupsSection>>;
  readonly db: MongoConnection['db'];
  readonly temporal: Client;
  readonly builds: Pick<BuildStore, 'find'>;
  readonly releases: Pick<ReleaseStore, 'active'>;
}

/** What the routes of backups work with, on real adapters. */
export function composeBackups(parts: BackupsParts): Omit<BackupsDeps, 'services' | 'audit' | 'newId' | 'now'> {
  const { env, db, temporal } = parts;
  const store = objectLinksSettings(env);
  const deps = { db, now: () => new Date() };
  return {
    backups: createBackupStore(deps),
    restores: createRestoreStore(deps),
    serviceDatabases: declaredDatabases(parts),
    backupCommands: createBackupCommands(temporal),
    hasObjectStore: (env.OBJECT_STORE_INTERNAL_HOST ?? env.OBJECT_STORE_HOST) !== undefined,
    backupArchives: store === null ? null : createS3ObjectStore({ ...store, bucket: env.BACKUP_BUCKET }),
    backupDownloadTtlSeconds: env.BACKUP_DOWNLOAD_TTL_SECONDS,
  };
}

/** The databases that the catalog of the serving release declares; their names are made of the service and environment. */
function declaredDatabases({ builds, releases }: Pick<BackupsParts, 'builds' | 'releases'>): ServiceDatabases {
  return {
    async of({ id, name }, environment) {
      const release = await releases.active(name, environment);
      // A later service of the same name has none of the releases of an earlier one.
      if (release === null || release.serviceId !== id) return [];
      const catalog = (await builds.find(release.buildId))?.facts.catalog;
      const engines = catalog?.databases ?? [];
      return engines.map((engine) => ({ engine, databaseName: databaseName({ service: name, environment }) }));
    },
  };
}
