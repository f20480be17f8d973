import { DATABASE_ENGINES, ENGINES } from '../databases/engines.ts';
import type { Environment } from '../environment.ts';
import type { Night } from './night.ts';

/** Database engines that are backed up. */
export const BACKUP_ENGINES = ['mongodb', 'postgres'] as const;

export type BackupEngine = (typeof BACKUP_ENGINES)[number];

/** What to say to whoever asks for backups of an engine; undefined for one that is backed up, and for an unknown word. */
export function whyNoBackup(engine: unknown): string | undefined {
  const known = DATABASE_ENGINES.find((each) => each === engine);
  const why = known === undefined ? null : ENGINES[known].notBackedUp;
  return why === null ? undefined : `${engine}: ${why}`;
}

/**
 * What became of a backup (spec 2, "Backup status", has the first three). `skipped`, `missed` and `pruned` are ours: the
 * platform made no backup and says why, the platform was away that night, retention has deleted the archive.
 */
export const BACKUP_STATUSES = ['running', 'completed', 'failed', 'skipped', 'missed', 'pruned'] as const;

export type BackupStatus = (typeof BACKUP_STATUSES)[number];

/** Which statuses may follow which: a backup that ended never runs again, and only a completed one has an archive. */
export const NEXT_STATUSES: Readonly<Record<BackupStatus, readonly BackupStatus[]>> = {
  running: ['completed', 'failed'],
  completed: ['pruned'],
  failed: [],
  skipped: [],
  missed: [],
  pruned: [],
};

/** Why a backup was made: asked for, by the schedule, before a restore overwrites the database, or before it is dropped for good. */
export const BACKUP_KINDS = ['manual', 'nightly', 'safety', 'final'] as const;

export type BackupKind = (typeof BACKUP_KINDS)[number];

/** Which retention counts a backup. Nothing deletes manual ones. */
export const BACKUP_TIERS = ['manual', 'daily', 'weekly', 'monthly'] as const;

export type BackupTier = (typeof BACKUP_TIERS)[number];

/** One database of a service, or one that belongs to no service: then `service` and `environment` are null. */
export interface BackedUpDatabase {
  readonly service: string | null;
  readonly environment: Environment | null;
  readonly engine: BackupEngine;
  readonly databaseName: string;
}

/** How many rows or documents each table or collection had, by its name, as the archive has them. */
export type Figures = Readonly<Record<string, number>>;

export interface BackupProblem {
  /** Such as `DUMP_FAILED`. */
  readonly code: string;
  /** Says what to do. */
  readonly message: string;
}

/** What a verification found: it restored the archive into a scratch database and compared the counts. */
export interface Verification {
  readonly at: Date;
  /** Null when all counts are as at the dump. */
  readonly problem: BackupProblem | null;
}

export interface Backup extends BackedUpDatabase {
  /** `bak_…` */
  readonly id: string;
  /** Of the service; null for a database of no service. A later service of the same name has another id. */
  readonly serviceId: string | null;
  readonly kind: BackupKind;
  readonly tier: BackupTier;
  /** The night that it was made for; null for one that no schedule made. */
  readonly night: Night | null;
  readonly status: BackupStatus;
  /** A user id, a client id, `internal`, or `schedule`. */
  readonly requestedBy: string;
  readonly startedAt: Date;
  /** Null while it runs. */
  readonly finishedAt: Date | null;
  /** Of the archive in the bucket: while it runs what is uploaded already, null where there never was one. */
  readonly sizeBytes: number | null;
  /** Of the archive, in hexadecimal. */
  readonly sha256: string | null;
  /** Null where there is no archive, or not any more. */
  readonly objectKey: string | null;
  /** Every key under which an attempt has uploaded, or may have; what lies there counts for nothing but as `objectKey`. */
  readonly uploads: readonly string[];
  readonly figures: Figures | null;
  /** Why it failed, was skipped or missed. */
  readonly problem: BackupProblem | null;
  /** The newest one; null before the first. */
  readonly verification: Verification | null;
  /** When a verification last began, also one that came to no end; null before the first. */
  readonly triedAt: Date | null;
}

/**
 * As lists have it. The figures of one backup may take 16 MiB, since its service names as many tables as it likes: who needs them
 * asks for that one.
 */
export type ListedBackup = Omit<Backup, 'figures'>;

/** What identifies the backups that retention counts together. */
export type BackupGroup = BackedUpDatabase;

/** One text for each group: the same for two backups exactly when retention counts them together. */
export function groupKey({ service, environment, engine, databaseName }: BackedUpDatabase): string {
  return [engine, environment ?? '', service ?? '', databaseName].join('/');
}

/** Whether its archive was restored and had what the database had. */
export function isVerified({ status, verification }: Pick<Backup, 'status' | 'verification'>): boolean {
  return status === 'completed' && verification !== null && verification.problem === null;
}

/** Whether the archive of a database that was last restored for proof did not come back as it was dumped. */
export function isDoubted(backups: readonly Pick<Backup, 'verification'>[]): boolean {
  const tries = backups.flatMap(({ verification }) => verification ?? []);
  const last = tries.reduce<Verification | null>(
    (newest, one) => (newest !== null && newest.at >= one.at ? newest : one),
    null,
  );
  return last !== null && last.problem !== null;
}

/** Where a backup belongs in the audit trail and in messages: `shop/prod`, or the name of a database of no service. */
export function targetName({ service, environment, databaseName }: Omit<BackedUpDatabase, 'engine'>): string {
  return service === null || environment === null ? databaseName : `${service}/${environment}`;
}

/** Keys of attempts that do not count: whatever lies there may be deleted once the backup has ended. */
export function leftKeys({ uploads, objectKey }: Pick<Backup, 'uploads' | 'objectKey'>): readonly string[] {
  return uploads.filter((key) => key !== objectKey);
}
