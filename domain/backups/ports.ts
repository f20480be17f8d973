/**
 * The module `backups`: copies of the databases of services, and their way back.
 *
 * Keying: one workflow for each database, `backup/<service>/<environment>/<engine>`, makes its backups and restores, one at
 * a time. The schedules are `nightly-backups`, `verify-backups` and `mirror-backups`. Ids of nightly backups are made of the
 * night and the database, so that a night that is repeated makes no second record.
 * Retries: a dump that a dying worker broke off begins anew, under another key: an attempt that lives on unseen overwrites and
 * deletes nothing of another. One that the database or the tool refused is failed. A database whose backup fails keeps no other from its own.
 * Compensation: a failed backup deletes the objects of its attempts; a failed restore drops the database that it had made. What it was to
 * replace stays as it is until its replacement has the counts of the dump.
 */

import type { DatabaseOwner } from '../databases/claim-database.ts';
import type { DatabaseRecord } from '../databases/record.ts';
import type { Environment } from '../environment.ts';
import type { Page, PageRequest } from '../page.ts';
import type {
  BackedUpDatabase,
  Backup,
  BackupEngine,
  BackupStatus,
  Figures,
  ListedBackup,
  Verification,
} from './backup.ts';
import type { Night } from './night.ts';
import type { Restore } from './restore.ts';

/** Records that match all that is given. */
export interface BackupFilter extends Partial<BackedUpDatabase> {
  readonly serviceId?: string;
  /** Those of one of these services. */
  readonly serviceIds?: readonly string[];
  readonly statuses?: readonly BackupStatus[];
  readonly night?: Night;
  /** Those that began then or later. */
  readonly since?: Date;
}

/** What changes when a backup ends, or loses its archive. */
export type BackupChange = Partial<
  Pick<Backup, 'status' | 'finishedAt' | 'sizeBytes' | 'sha256' | 'objectKey' | 'figures' | 'problem'>
>;

/** Records of backups. Those without an archive are forgotten after `RECORD_KEPT_DAYS`. */
export interface BackupStore {
  /** False when there is one of that id: it stays as it is. @throws UNAVAILABLE */
  insert(backup: Backup): Promise<boolean>;
  /** As `insert`, of many at once. */
  insertAll(backups: readonly Backup[]): Promise<void>;
  /** Confirmed by a majority. */
  find(id: string): Promise<Backup | null>;
  /** Newest first. */
  list(filter: BackupFilter, page: PageRequest): Promise<Page<ListedBackup>>;
  /** Writes the change when the backup has that status. False when it has another by now, or is gone. */
  change(id: string, from: BackupStatus, change: BackupChange): Promise<boolean>;
  /**
   * Notes the key under which an attempt is going to upload. False when the backup does not run any more, or the key is
   * noted already: it belongs to another attempt.
   */
  noteUpload(id: string, key: string): Promise<boolean>;
  /** Notes how many bytes of a running backup are uploaded. */
  setProgress(id: string, sizeBytes: number): Promise<void>;
  /** Notes which attempt verifies a completed backup from now on, and when it was tried; false for one that is not completed. */
  beginVerification(id: string, attempt: string, at: Date): Promise<boolean>;
  /** Notes what a verification of a completed backup found, unless another attempt verifies it by now. */
  setVerification(id: string, attempt: string, verification: Verification): Promise<void>;
  /** The last night before this one of which there is a record that is not of a missed one; null for none. */
  lastNightBefore(night: Night): Promise<Night | null>;
}

/** How long records of backups without an archive are kept: a year of nights, and some more. */
export const RECORD_KEPT_DAYS = 400;

/** What changes while a restore runs, and when it ends. */
export type RestoreChange = Partial<
  Pick<
    Restore,
    'status' | 'phase' | 'finishedAt' | 'bytesRead' | 'keptDatabase' | 'keptUntil' | 'keptBytes' | 'problem'
  >
>;

export interface RestoreStore {
  /** False when there is one of that id. @throws UNAVAILABLE */
  insert(restore: Restore): Promise<boolean>;
  find(id: string): Promise<Restore | null>;
  /** Those of one of these services, newest first. */
  list(serviceIds: readonly string[], page: PageRequest): Promise<Page<Restore>>;
  /** Writes the change while the restore runs and nobody ends it. False otherwise. Confirmed by a majority. */
  change(id: string, change: RestoreChange): Promise<boolean>;
  /**
   * Writes the change while the restore runs, for whoever ends it: from then on `change` writes nothing. False when it has
   * ended, or is gone. Confirmed by a majority.
   */
  end(id: string, change: RestoreChange): Promise<boolean>;
  /** Those of all services that run by their records, newest first. */
  listRunning(page: PageRequest): Promise<Page<Restore>>;
  /** Those of all services whose old database is kept, newest first. */
  listKept(page: PageRequest): Promise<Page<Restore>>;
  /** Notes that the old database of a restore that has ended is dropped at that time. False where none is kept, or the restore runs. */
  keepUntil(id: string, at: Date): Promise<boolean>;
  /** Notes that the old database was dropped. No error when it is gone. */
  forgetKept(id: string): Promise<void>;
}

/** The service that has a database now. */
export interface InventoryOwner extends DatabaseOwner {
  /** Removed services of the same org that had it before: their backups of it are of its service now. */
  readonly earlierServiceIds: readonly string[];
}

/** A database that a server has. */
export interface ListedDatabase {
  readonly databaseName: string;
  /** Null for a database that belongs to no service. */
  readonly owner: InventoryOwner | null;
}

/** The databases of the servers that are backed up. */
export interface DatabaseInventory {
  /** Engines whose administration is configured (DB_MONGODB_ADMIN_URI, DB_POSTGRES_ADMIN_URI). */
  readonly engines: readonly BackupEngine[];
  /** All databases of a server but those of the engine itself. @throws UNAVAILABLE (retryable) */
  list(engine: BackupEngine, signal: AbortSignal): Promise<readonly ListedDatabase[]>;
  /** Whose a database is now; null for one of no service. Confirmed by a majority. */
  ownerOf(engine: BackupEngine, databaseName: string): Promise<InventoryOwner | null>;
}

/** A database that a service has, whether there is a backup of it or not. */
export interface KnownDatabase extends BackedUpDatabase {
  readonly createdAt: Date;
}

/** Which databases a service has. */
export interface ServiceDatabases {
  /** Those of an environment, of the engines that are backed up; none where the service was never deployed there. */
  of(
    service: { readonly id: string; readonly name: string; readonly org: string },
    environment: Environment,
  ): Promise<readonly { readonly engine: BackupEngine; readonly databaseName: string }[]>;
  /** The others, of all environments. */
  notBackedUp(service: {
    readonly id: string;
  }): Promise<readonly Pick<DatabaseRecord, 'engine' | 'environment' | 'database'>[]>;
  /** All databases that services have and that are backed up; those of these services alone, unless null is given. */
  known(serviceIds: readonly string[] | null): AsyncIterable<KnownDatabase>;
  /**
   * Under which services the backups and restores of these services may stand: their own ids, and those of the removed
   * services whose databases they have now. Those are of the same org: only it gets a kept database back.
   */
  recordedUnder(serviceIds: readonly string[]): Promise<readonly string[]>;
}

export interface DumpOptions {
  /** Ends the tool, and the call with the reason of the signal. */
  readonly signal: AbortSignal;
}

export interface OverwriteOptions extends DumpOptions {
  /**
   * Asked before anything is overwritten, at a moment from which on `reopen` ends the restore: whoever says no from some time on,
   * and calls `reopen` then, knows that it changes nothing afterwards. Without it, it is meant.
   */
  readonly isMeant?: () => Promise<boolean>;
}

/** The databases of one swap: `scratch` takes the place of `live`, which is kept under the name `kept`. */
export interface SwapNames {
  readonly live: string;
  readonly scratch: string;
  readonly kept: string;
}

/** Dumps and restores the databases of one engine. Names of databases are taken as they are, whatever they hold. */
export interface DumpTool {
  /**
   * Dumps a database and passes the archive on as it is written; a piece of it is used up once the next one is asked for.
   * Reading the archive fails when the tool ends with an error: whoever stores it stores nothing then.
   * @throws DUMP_FAILED with what the tool said, DUMP_TOOL_MISSING, what `store` throws, or the reason of the signal
   */
  dump<T>(
    databaseName: string,
    store: (archive: AsyncIterable<Uint8Array>) => Promise<T>,
    options: DumpOptions,
  ): Promise<{ readonly stored: T; readonly figures: Figures }>;
  /**
   * Restores an archive into a scratch database, which is made, or emptied when it is there.
   * @param from the database that the archive was made of: nothing else of the archive is restored
   * @throws RESTORE_FAILED with what the tool said, DUMP_TOOL_MISSING, or the reason of the signal
   */
  restoreInto(
    restore: { readonly from: string; readonly scratch: string },
    archive: AsyncIterable<Uint8Array>,
    options: DumpOptions,
  ): Promise<void>;
  /**
   * Restores an archive over the database that it was made of.
   * @throws as `restoreInto`, and CONFLICT, with nothing changed, where it is not meant any more
   */
  restoreInPlace(databaseName: string, archive: AsyncIterable<Uint8Array>, options: OverwriteOptions): Promise<void>;
  /** How large a database is; null for one that is not there, and `bytes` null where the server does not tell. @throws UNAVAILABLE (retryable) */
  size(databaseName: string, signal: AbortSignal): Promise<{ readonly bytes: number | null } | null>;
  /** Counts what a database has. @throws UNAVAILABLE (retryable) */
  figures(databaseName: string, signal: AbortSignal): Promise<Figures>;
  /**
   * Puts a scratch database in the place of a live one, which is kept under another name. Done already, it does nothing; a call
   * that was broken off is gone on with by the next one. What `restoreInto` has not restored to its end is put in no place, also
   * where a server took over since that has only a part of it.
   * @throws RESTORE_FAILED: then the live database is in its place, or is after `endSwap`
   */
  swap(names: SwapNames, options: DumpOptions): Promise<void>;
  /**
   * Ends a swap that nobody goes on with; it puts nothing new in place. Done already, it stays done. Otherwise its scratch
   * database is dropped and what is live stays: what was there before, whole again where a part was replaced, or what a later
   * restore has put there. A call of `swap` that lives on unseen changes nothing afterwards. Idempotent.
   * @returns whether the swap was done; false also where what it put in place is known not to be there any more.
   * @throws UNAVAILABLE (retryable)
   */
  endSwap(names: SwapNames, options: DumpOptions): Promise<boolean>;
  /**
   * Lets a live database be opened that a restore which was broken off has left closed. What a swap has replaced in part is
   * as it was before, and who else uses the database may do what they might. A restore in place that goes on unseen changes
   * nothing afterwards. Idempotent.
   */
  reopen(databaseName: string, options: DumpOptions): Promise<void>;
  /** Drops a scratch database. Idempotent. @throws VALIDATION_FAILED for a database that backups have not made */
  drop(scratch: string): Promise<void>;
}

/** What an operator has to look at. */
export interface Alarm {
  /** Under one id it is raised once, such as `backup.night_failed/2026-05-04`. */
  readonly id: string;
  readonly subject: string;
  /** Plain text; names no secret. */
  readonly text: string;
}

/** Tells operators, such as by mail to PLATFORM_ALERT_EMAIL. @throws UNAVAILABLE (retryable) */
export type RaiseAlarm = (alarm: Alarm) => Promise<void>;
