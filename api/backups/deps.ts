import type { BackupEngine } from '../../domain/backups/backup.ts';
import type { BackupCommands } from '../../domain/backups/messages.ts';
import type { BackupStore, RestoreStore, ServiceDatabases } from '../../domain/backups/ports.ts';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { DatabaseCommands, DatabaseRecords } from '../../domain/databases/ports.ts';
import type { ObjectStore } from '../../domain/objects/ports.ts';
import type { AuditChangeDeps } from '../catalog/audit-change.ts';

/** What the routes of backups work with. */
export interface BackupsDeps extends AuditChangeDeps {
  readonly services: ServiceStore;
  readonly backups: BackupStore;
  readonly restores: RestoreStore;
  readonly serviceDatabases: ServiceDatabases;
  /** Whether the database of a service is on no record any more: it was dropped. */
  readonly isDropped: (database: { readonly engine: BackupEngine; readonly databaseName: string }) => Promise<boolean>;
  readonly backupCommands: BackupCommands;
  readonly databaseRecords: Pick<DatabaseRecords, 'find' | 'listKept' | 'keepLonger'>;
  readonly databaseCommands: Pick<DatabaseCommands, 'dropSooner'>;
  /** Whether there is an object store: without one no backup is made. */
  readonly hasObjectStore: boolean;
  /** By which links are made; null where this process has no credentials of the object store. */
  readonly backupArchives: Pick<ObjectStore, 'downloadUrl'> | null;
  /** BACKUP_ENABLED and BACKUP_CRON_HOUR_UTC: when databases are backed up by themselves. */
  readonly backupNights: { readonly isEnabled: boolean; readonly hourUtc: number };
  /** BACKUP_DOWNLOAD_TTL_SECONDS */
  readonly backupDownloadTtlSeconds: number;
}
