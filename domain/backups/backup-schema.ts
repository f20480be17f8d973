import { z } from 'zod';
import { DATABASE_ENGINES } from '../databases/engines.ts';
import { ENVIRONMENTS } from '../environment.ts';
import { environmentSchema } from '../environment-schema.ts';
import { pageQueryShape } from '../page-schema.ts';
import {
  BACKUP_ENGINES,
  BACKUP_KINDS,
  BACKUP_STATUSES,
  BACKUP_TIERS,
  isVerified,
  type ListedBackup,
  whyNoBackup,
} from './backup.ts';
import type { DatabaseHealth } from './health.ts';
import type { Night } from './night.ts';
import { RESTORE_MODES, RESTORE_PHASES, RESTORE_STATUSES, type Restore } from './restore.ts';

/** Shapes of backups and restores as the API takes and shows them (spec 2, "Backup status" and "Database backups"). */

const time = z.iso.datetime();
const engineSchema = z.enum(BACKUP_ENGINES, { error: ({ input }) => whyNoBackup(input) });

/** `wait` may stand in the query as well. */
export const backUpBodySchema = z.strictObject({
  environment: environmentSchema.default('prod'),
  type: engineSchema.optional().describe('By default mongodb, unless the service has postgres alone'),
  wait: z.boolean().default(false).describe('Answer when the backup has ended, or after 50 seconds'),
});

export const backUpQuerySchema = z.strictObject({
  wait: z.enum(['true', 'false']).optional().describe('As `wait` of the body'),
});

export const restoreBodySchema = z.strictObject({
  backupId: z.string().min(1).max(64),
  confirm: z.literal(true, 'confirm: send true to replace what the database has now'),
  environment: environmentSchema
    .optional()
    .describe('Refuses a backup of another environment: it is restored where it was made, and nowhere else'),
  dryRun: z.boolean().default(false).describe('Tells whether it may begin, and begins nothing'),
  mode: z
    .enum(RESTORE_MODES)
    .default('swap')
    .describe('swap keeps the old database beside the new one; in-place writes over it, after a backup of what it has'),
});

export const backupsQueryShape = {
  ...pageQueryShape,
  environment: environmentSchema.optional(),
  type: engineSchema.optional(),
  status: z.enum(BACKUP_STATUSES).optional(),
} as const;

const database = {
  service: z.string().nullable().describe('null for a database that belongs to no service'),
  environment: z.enum(ENVIRONMENTS).nullable(),
  engine: engineSchema,
  databaseName: z.string(),
};

export const backupViewSchema = z.object({
  backupId: z.string(),
  ...database,
  kind: z.enum(BACKUP_KINDS),
  tier: z.enum(BACKUP_TIERS),
  night: z.iso.date().nullable().describe('The night (UTC) that it was made for'),
  status: z.enum(BACKUP_STATUSES),
  requestedBy: z.string(),
  startedAt: time,
  completedAt: time.nullable().describe('When it ended, however it ended; null while it runs'),
  sizeBytes: z.int().nullable().describe('While it runs, what is uploaded already'),
  sha256: z.string().nullable().describe('Of the archive, in hexadecimal'),
  objectKey: z.string().nullable(),
  error: z.string().nullable().describe('Why it failed, was skipped or missed'),
  errorCode: z.string().nullable(),
  verifiedAt: time.nullable().describe('When the archive was last restored for proof'),
  verificationError: z.string().nullable().describe('What was wrong with it then; null when nothing was'),
});

export type BackupView = z.output<typeof backupViewSchema>;

export const restoreViewSchema = z.object({
  restoreId: z.string(),
  backupId: z.string(),
  ...database,
  mode: z.enum(RESTORE_MODES),
  status: z.enum(RESTORE_STATUSES),
  phase: z.enum(RESTORE_PHASES),
  requestedBy: z.string(),
  startedAt: time,
  completedAt: time.nullable(),
  bytesRead: z.int().describe('Of the archive'),
  keptDatabase: z.string().nullable().describe('Under which name the database is kept that was there before'),
  keptUntil: time.nullable().describe('When that one is dropped'),
  safetyBackupId: z.string().nullable().describe('The backup of what was written over'),
  error: z.string().nullable(),
  errorCode: z.string().nullable(),
});

export const restorePlanSchema = z.object({
  backupId: z.string(),
  ...database,
  mode: z.enum(RESTORE_MODES),
});

export type RestoreView = z.output<typeof restoreViewSchema>;

export const downloadReplySchema = z.object({
  url: z.string().describe('Anybody who has it downloads the archive until it expires'),
  expiresAt: time,
  fileName: z.string(),
  sizeBytes: z.int().nullable(),
  sha256: z.string().nullable(),
});

const health = {
  ...database,
  state: z
    .enum(['healthy', 'unproven', 'stale', 'failing'])
    .describe(
      'failing: the newest night left no backup; stale: none of 36 hours; unproven: none restored in a week, or the last one did not come back',
    ),
  lastCompletedAt: time.nullable(),
  lastVerifiedAt: time.nullable(),
  lastNight: z
    .object({ night: z.iso.date(), status: z.enum(BACKUP_STATUSES), reason: z.string().nullable() })
    .nullable(),
};

export const healthReplySchema = z.object({
  databases: z.array(
    z.object({ ...health, org: z.string().nullable().describe('That owns the service; null where there is none') }),
  ),
});

export type HealthReply = z.output<typeof healthReplySchema>;

const nightSchema = z.object({
  night: z.iso.date(),
  backupId: z.string(),
  status: z.enum(BACKUP_STATUSES),
  isVerified: z.boolean().describe('The archive was restored for proof, and had what the database had'),
  reason: z.string().nullable().describe('Why there is no backup'),
});

export type NightView = z.output<typeof nightSchema>;

export const databasesReplySchema = z.object({
  databases: z.array(
    z.object({
      ...health,
      nights: z.array(nightSchema).describe('Those of the last 90 days that are on record, newest first'),
    }),
  ),
  notBackedUp: z
    .array(
      z.object({
        environment: z.enum(ENVIRONMENTS),
        engine: z.enum(DATABASE_ENGINES),
        databaseName: z.string(),
        reason: z.string(),
      }),
    )
    .describe('Databases of engines that the platform makes no backups of'),
  nextNightAt: time.nullable().describe('When the next night begins; null where BACKUP_ENABLED is false'),
});

export type DatabasesReply = z.output<typeof databasesReplySchema>;
export type DatabaseView = DatabasesReply['databases'][number];

export function backupView(backup: ListedBackup): BackupView {
  const { id, service, environment, engine, databaseName, kind, tier, night, status, requestedBy } = backup;
  const { sizeBytes, sha256, objectKey, problem, verification } = backup;
  return {
    ...{ backupId: id, service, environment, engine, databaseName, kind, tier, night, status, requestedBy },
    ...{ sizeBytes, sha256, objectKey },
    startedAt: backup.startedAt.toISOString(),
    completedAt: backup.finishedAt?.toISOString() ?? null,
    error: problem?.message ?? null,
    errorCode: problem?.code ?? null,
    verifiedAt: verification?.at.toISOString() ?? null,
    verificationError: verification?.problem?.message ?? null,
  };
}

export function restoreView(restore: Restore): RestoreView {
  const { id, backupId, service, environment, engine, databaseName, mode, status, phase, requestedBy } = restore;
  const { bytesRead, keptDatabase, safetyBackupId, problem } = restore;
  return {
    ...{ restoreId: id, backupId, service, environment, engine, databaseName, mode, status, phase, requestedBy },
    ...{ bytesRead, keptDatabase, safetyBackupId },
    startedAt: restore.startedAt.toISOString(),
    completedAt: restore.finishedAt?.toISOString() ?? null,
    keptUntil: restore.keptUntil?.toISOString() ?? null,
    error: problem?.message ?? null,
    errorCode: problem?.code ?? null,
  };
}

export function healthView({ lastCompletedAt, lastVerifiedAt, ...health }: DatabaseHealth) {
  return {
    ...health,
    lastCompletedAt: lastCompletedAt?.toISOString() ?? null,
    lastVerifiedAt: lastVerifiedAt?.toISOString() ?? null,
  };
}

export function nightView(backup: ListedBackup & { readonly night: Night }): NightView {
  const { id, night, status, problem } = backup;
  return { night, backupId: id, status, isVerified: isVerified(backup), reason: problem?.message ?? null };
}
