import type { BackedUpDatabase, BackupProblem } from './backup.ts';

/**
 * How a backup is restored. `swap`: into a new database, which takes the place of the old one once its counts are right; the
 * old one is kept. `in-place`: over the database, after a backup of what it has (spec 2, "Database backups", 4).
 */
export const RESTORE_MODES = ['swap', 'in-place'] as const;

export type RestoreMode = (typeof RESTORE_MODES)[number];

export const RESTORE_STATUSES = ['running', 'completed', 'failed'] as const;

export type RestoreStatus = (typeof RESTORE_STATUSES)[number];

/** What a restore is at. */
export const RESTORE_PHASES = ['checking', 'safety-backup', 'restoring', 'verifying', 'swapping', 'done'] as const;

export type RestorePhase = (typeof RESTORE_PHASES)[number];

/** A restore of a backup into the database that it was made of. */
export interface Restore extends BackedUpDatabase {
  /** `rst_…` */
  readonly id: string;
  readonly serviceId: string;
  readonly backupId: string;
  readonly mode: RestoreMode;
  readonly status: RestoreStatus;
  readonly phase: RestorePhase;
  readonly requestedBy: string;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  /** Of the archive, read so far. */
  readonly bytesRead: number;
  /** Under which name the database is kept that was there before; null where nothing was swapped, and once it was dropped. */
  readonly keptDatabase: string | null;
  /** When that one is dropped; null where none is kept, or not any more. */
  readonly keptUntil: Date | null;
  /** How large that one was when it was kept; null where none is, and where its server does not tell. */
  readonly keptBytes: number | null;
  /** The backup of what `in-place` wrote over; null with `swap`. */
  readonly safetyBackupId: string | null;
  readonly problem: BackupProblem | null;
}

/** What backups make databases for. */
export type ScratchPurpose = 'restore' | 'verify' | 'kept';

const SCRATCH = /^fairlead_(restore|verify|kept)_[a-z0-9]{20}$/;

/** The database that a restore, or an attempt of a proof, makes for itself. @param id `rst_…`, or `bak_…` of no backup */
export function scratchName(purpose: ScratchPurpose, id: string): string {
  return `fairlead_${purpose}_${id.slice(id.indexOf('_') + 1)}`;
}

/** Whether backups made a database for themselves: nothing else is ever dropped, and none of these is backed up. @param purpose any, unless it is given */
export function isScratch(databaseName: string, purpose?: ScratchPurpose): boolean {
  const [, found] = SCRATCH.exec(databaseName) ?? [];
  return found !== undefined && (purpose === undefined || purpose === found);
}
