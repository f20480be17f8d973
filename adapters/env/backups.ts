import { z } from 'zod';
import { alarmsSection } from './alarms.ts';
import { embeddedPartsSection } from './embedded-parts.ts';
import { objectLinksSection, objectStoreSection } from './object-store.ts';
import { baseUrl, commaList, flag, positiveCount, secret, text } from './variable-kinds.ts';

const bucket = z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket');

/**
 * What the builder reads of backups (spec 2, "Limits"): it makes links to archives, by keys that may read them alone, and
 * says when the next night is.
 */
export const backupsSection = {
  ...objectLinksSection,
  ...embeddedPartsSection,
  BACKUP_BUCKET: bucket.default('db-backups'),
  BACKUP_ENABLED: flag.default(true),
  BACKUP_CRON_HOUR_UTC: z.coerce.number().int().min(0).max(23).default(2),
  /** At most the 7 days that S3 gives a link. */
  BACKUP_DOWNLOAD_TTL_SECONDS: positiveCount.max(7 * 86_400).default(900),
};

/** What the worker of backups reads besides. */
export const backupsWorkerSection = {
  ...backupsSection,
  ...objectStoreSection,
  /** Where `mongodump` and `mongorestore` are; by default on the PATH. */
  MONGO_TOOLS_DIR: text.optional(),
  BACKUP_RETENTION_DAILY: positiveCount.default(7),
  BACKUP_RETENTION_WEEKLY: positiveCount.default(4),
  BACKUP_RETENTION_MONTHLY: positiveCount.default(3),
  BACKUP_EXCLUDE_PATTERNS: commaList.default([]),
  BACKUP_DUMP_TIMEOUT_MS: positiveCount.min(1_000).default(7_200_000),
  /** Base address of the off-site object store, which the archives are copied to every night. */
  BACKUP_MIRROR_URL: baseUrl.optional(),
  BACKUP_MIRROR_BUCKET: bucket.default('db-backups'),
  BACKUP_MIRROR_REGION: text.default('us-east-1'),
  BACKUP_MIRROR_ACCESS_KEY: secret(text.optional()),
  BACKUP_MIRROR_SECRET_KEY: secret(text.optional()),
  ...alarmsSection,
  /** How many databases a night dumps at once. */
  BACKUP_PARALLELISM: positiveCount.max(32).default(3),
};
