import type { BackupProblem, BackupTier } from '../backups/backup.ts';
import type { Night } from '../backups/night.ts';
import type { PlatformBackupKind } from './backup.ts';

/** Names, ids and shapes that the API and the workflows of backups of the platform share. */

export const PLATFORM_BACKUP_WORKFLOWS = {
  backUpPlatform: 'backUpPlatform',
  nightlyPlatformBackup: 'nightlyPlatformBackup',
} as const;

/** One id for all: Temporal runs one workflow of an id at a time, and so there is one backup of the platform at a time. */
export const PLATFORM_BACKUP_ID = 'platform-backup';

/** A backup of the platform that is asked for. */
export interface PlatformBackupJob {
  /** `pbk_…` */
  readonly id: string;
  readonly kind: PlatformBackupKind;
  readonly tier: BackupTier;
  readonly night: Night | null;
  readonly requestedBy: string;
  /** ISO time. */
  readonly startedAt: string;
  readonly requestId: string | null;
}

export interface PlatformBackupEnd {
  readonly status: 'completed' | 'failed';
  readonly problem: BackupProblem | null;
}

/** The API's way to the workflow. */
export interface PlatformBackupCommands {
  /** Starts a backup, which goes on by itself. @throws BACKUP_IN_PROGRESS naming the one that runs; UNAVAILABLE (retryable) */
  backUp(job: PlatformBackupJob): Promise<void>;
  /** @returns false when that backup does not run */
  cancel(id: string): Promise<boolean>;
}
