import { z } from 'zod';
import { BACKUP_TIERS } from '../backups/backup.ts';
import { pageQueryShape } from '../page-schema.ts';
import { PLATFORM_BACKUP_KINDS, PLATFORM_BACKUP_STATUSES, type PlatformBackup } from './backup.ts';

export const platformBackupViewSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(PLATFORM_BACKUP_KINDS),
  tier: z.enum(BACKUP_TIERS),
  night: z.string().nullable().describe('UTC day that it was made for; null for one that was asked for'),
  status: z.enum(PLATFORM_BACKUP_STATUSES),
  requestedBy: z.string(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  sizeBytes: z.int().nullable(),
  problem: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
});

export type PlatformBackupView = z.infer<typeof platformBackupViewSchema>;

export const platformBackupsQuerySchema = z.strictObject(pageQueryShape);

export function platformBackupView(backup: PlatformBackup): PlatformBackupView {
  const { startedAt, finishedAt, ...fields } = backup;
  return { ...fields, startedAt: startedAt.toISOString(), finishedAt: finishedAt?.toISOString() ?? null };
}
