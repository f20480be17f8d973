import type { BackupProblem, BackupTier } from '../backups/backup.ts';
import type { Night } from '../backups/night.ts';

export const PLATFORM_BACKUP_KINDS = ['manual', 'nightly'] as const;

export type PlatformBackupKind = (typeof PLATFORM_BACKUP_KINDS)[number];

/** `completed` once the place has the manifest, which is written last. */
export const PLATFORM_BACKUP_STATUSES = ['running', 'completed', 'failed'] as const;

export type PlatformBackupStatus = (typeof PLATFORM_BACKUP_STATUSES)[number];

/** The record of one backup of the platform. What can be restored is what the place has: a record is what became of it. */
export interface PlatformBackup {
  /** `pbk_…` */
  readonly id: string;
  readonly kind: PlatformBackupKind;
  readonly tier: BackupTier;
  /** The night that it was made for; null for one that was asked for. */
  readonly night: Night | null;
  readonly status: PlatformBackupStatus;
  /** A user id, a client id, `internal`, or `schedule`. */
  readonly requestedBy: string;
  readonly startedAt: Date;
  /** Null while it runs. */
  readonly finishedAt: Date | null;
  /** Of all its parts; null where it is not completed. */
  readonly sizeBytes: number | null;
  readonly problem: BackupProblem | null;
}

/** How records of backups are kept: a year of nights, and some more. */
export const PLATFORM_RECORD_KEPT_DAYS = 400;

/** Of a backup whose workflow is gone: it was terminated, or the platform was restored from a backup of that moment. */
export const ABANDONED: BackupProblem = {
  code: 'BACKUP_ABANDONED',
  message: 'No workflow makes this backup any more: it was terminated, or the platform was restored meanwhile',
};
