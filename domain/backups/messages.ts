import type { Environment } from '../environment.ts';
import type { BackedUpDatabase, BackupEngine, BackupKind, BackupProblem, BackupTier } from './backup.ts';
import type { Night } from './night.ts';
import type { RestoreMode } from './restore.ts';

/** Names, ids and shapes that the API and the workflows of backups share. */

export const BACKUPS_WORKFLOWS = {
  backUpDatabase: 'backUpDatabase',
  restoreDatabase: 'restoreDatabase',
  endAbandonedRestore: 'endAbandonedRestore',
  nightlyBackups: 'nightlyBackups',
  verifyBackups: 'verifyBackups',
  mirrorBackups: 'mirrorBackups',
  dropKeptDatabases: 'dropKeptDatabases',
  dropKeptCopy: 'dropKeptCopy',
} as const;

/**
 * One id for the backups and the restores of a database: Temporal runs one workflow of an id at a time, so two backups at
 * once, or a backup of a database that is being restored, cannot be.
 */
export function backupWorkflowId({ service, environment, engine, databaseName }: BackedUpDatabase): string {
  if (service === null || environment === null) return `backup/_/${databaseName}/${engine}`;
  return `backup/${service}/${environment}/${engine}`;
}

/**
 * Queue of what people ask for: backups by hand, restores, and what ends them. What is restored may run for as long as its owner
 * likes, and is to keep no night from its backups and proofs.
 */
export const ASKED_BACKUPS = 'asked-backups';

/** Somebody drops the database that a restore has kept, before its time. */
export interface CopyDropRequest {
  readonly restoreId: string;
  readonly requestedBy: string;
  readonly requestId: string;
}

/** One at a time of a kept database. */
export function copyDropWorkflowId(restoreId: string): string {
  return `drop-kept-copy/${restoreId}`;
}

/** In the memo of the workflow of {@link backupWorkflowId}: what is under way. */
export interface UnderWay {
  readonly kind: 'backup' | 'restore';
  /** `bak_…` or `rst_…` */
  readonly id: string;
  /** ISO time. */
  readonly startedAt: string;
}

/** A backup that is asked for. */
export interface BackupJob extends BackedUpDatabase {
  readonly id: string;
  readonly serviceId: string | null;
  /** Slug of the org that owns the service; null for a database of no service. */
  readonly org: string | null;
  readonly kind: BackupKind;
  readonly tier: BackupTier;
  readonly night: Night | null;
  readonly requestedBy: string;
  /** ISO time. */
  readonly startedAt: string;
  readonly requestId: string | null;
}

/** A restore that is asked for. The backup is one of the same service, environment and engine. */
export interface RestoreJob {
  readonly id: string;
  readonly backupId: string;
  readonly serviceId: string;
  readonly org: string;
  readonly service: string;
  readonly environment: Environment;
  readonly engine: BackupEngine;
  readonly databaseName: string;
  readonly mode: RestoreMode;
  /** Id of the backup that `in-place` makes first; made with the job, so that it is made once. */
  readonly safetyBackupId: string | null;
  readonly requestedBy: string;
  /** ISO time. */
  readonly startedAt: string;
  readonly requestId: string | null;
}

/** How a backup ended. */
export interface BackupEnd {
  readonly status: 'completed' | 'failed';
  readonly problem: BackupProblem | null;
}

/** How a restore ended. */
export interface RestoreEnd {
  readonly status: 'completed' | 'failed';
  readonly problem: BackupProblem | null;
}

/** The API's way to the workflows of backups. */
export interface BackupCommands {
  /**
   * Starts a backup; it runs on whatever becomes of the caller.
   * @throws BACKUP_IN_PROGRESS, RESTORE_IN_PROGRESS with what is under way; UNAVAILABLE (retryable)
   */
  backUp(job: BackupJob): Promise<void>;
  /** Starts a restore. @throws as `backUp` */
  restore(job: RestoreJob): Promise<void>;
  /**
   * Asks the workflow of a database to end what it does, when that is the backup or restore of this id.
   * @returns false when that does not run
   */
  cancel(database: BackedUpDatabase, id: string): Promise<boolean>;
  /** Drops the database that a restore has kept; asked again, it joins the drop that runs. @throws UNAVAILABLE (retryable) */
  dropCopy(request: CopyDropRequest): Promise<void>;
  /** Whether the backup or restore of this id is under way. */
  isUnderWay(database: BackedUpDatabase, id: string): Promise<boolean>;
}
