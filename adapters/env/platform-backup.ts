import { z } from 'zod';
import { backupsWorkerSection } from './backups.ts';
import { dataSection } from './platform.ts';
import { folder, secret, text } from './variable-kinds.ts';

const bucket = z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket');

/** Where backups of the platform may lie: a folder, or a bucket of the off-site object store of backups. */
export const platformBackupPlaceSection = {
  /** A folder of another disk or machine, which is mounted there. */
  PLATFORM_BACKUP_DIR: folder.optional(),
  PLATFORM_BACKUP_BUCKET: bucket.default('platform-backups'),
  BACKUP_MIRROR_URL: backupsWorkerSection.BACKUP_MIRROR_URL,
  BACKUP_MIRROR_REGION: backupsWorkerSection.BACKUP_MIRROR_REGION,
  BACKUP_MIRROR_ACCESS_KEY: backupsWorkerSection.BACKUP_MIRROR_ACCESS_KEY,
  BACKUP_MIRROR_SECRET_KEY: backupsWorkerSection.BACKUP_MIRROR_SECRET_KEY,
};

/** What the worker reads that backs the platform up. */
export const platformBackupSection = {
  ...platformBackupPlaceSection,
  ...dataSection,
  /** For whom backups are encrypted, and the keys of the installation encrypted for them: `npm run recovery-key` makes it. */
  PLATFORM_RECOVERY: secret(text.optional()),
  BACKUP_ENABLED: backupsWorkerSection.BACKUP_ENABLED,
  BACKUP_CRON_HOUR_UTC: backupsWorkerSection.BACKUP_CRON_HOUR_UTC,
  BACKUP_DUMP_TIMEOUT_MS: backupsWorkerSection.BACKUP_DUMP_TIMEOUT_MS,
  BACKUP_RETENTION_DAILY: backupsWorkerSection.BACKUP_RETENTION_DAILY,
  BACKUP_RETENTION_WEEKLY: backupsWorkerSection.BACKUP_RETENTION_WEEKLY,
  BACKUP_RETENTION_MONTHLY: backupsWorkerSection.BACKUP_RETENTION_MONTHLY,
};

/**
 * Keys of the installation that the worker has as well, as they are written: those that are encrypted for the recovery key have to be the
 * same ones. Keys of people are not among them: the worker has none.
 */
export const heldKeysSection = {
  INTERNAL_SERVICE_KEY: secret(text.optional()),
  CONFIG_ENCRYPTION_KEY: secret(text.optional()),
  LOCKER_ENCRYPTION_KEY: secret(text.optional()),
  MONITOR_ENCRYPTION_KEY: secret(text.optional()),
  AUDIT_SIGNING_KEY: secret(text.optional()),
  AUDIT_SIGNER_KEY: secret(text.optional()),
};
