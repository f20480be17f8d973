/**
 * The module `platform-backup`: a copy of the platform itself, at a place that survives its machine.
 *
 * Keying: one workflow, `platform-backup`, makes one backup at a time; the schedule is `nightly-platform-backup`. A backup has a folder of
 * its own at the place, and each attempt at a part a file of its own: an attempt that lives on unseen overwrites nothing.
 * Retries: a part whose worker died is read anew. What is refused fails the backup, and the manifest, which is written last, is not there.
 * Compensation: a backup that failed deletes its files, its manifest first. What a killed process left, the next
 * backup deletes before its first part.
 */

import type { Night } from '../backups/night.ts';
import type { ObjectStore } from '../objects/ports.ts';
import type { Page, PageRequest } from '../page.ts';
import type { PlatformBackup } from './backup.ts';
import type { KeyName } from './manifest.ts';
import type { PlatformPart } from './parts.ts';

/** Records, which are forgotten after `PLATFORM_RECORD_KEPT_DAYS`. */
export interface PlatformBackupStore {
  /** False when there is one of that id: it stays as it is. @throws UNAVAILABLE */
  insert(backup: PlatformBackup): Promise<boolean>;
  /** Confirmed by a majority. */
  find(id: string): Promise<PlatformBackup | null>;
  /** Newest first. */
  list(page: PageRequest): Promise<Page<PlatformBackup>>;
  /** Writes how a backup that runs has ended; false when it has ended already. */
  finish(id: string, end: Pick<PlatformBackup, 'status' | 'finishedAt' | 'sizeBytes' | 'problem'>): Promise<boolean>;
  /** Those that run by their records, at most so many, the oldest first. */
  listRunning(limit: number): Promise<readonly PlatformBackup[]>;
  /** The last night before this one that has a record; null for none. */
  lastNightBefore(night: Night): Promise<Night | null>;
}

/** Where backups of the platform lie: a bucket elsewhere, or a folder of another disk. */
export type BackupPlace = Pick<
  ObjectStore,
  'put' | 'get' | 'head' | 'list' | 'delete' | 'abortIncomplete' | 'ensureBucket'
>;

/** Reads a part of the platform as a stream. @throws UNAVAILABLE (retryable), DUMP_FAILED, or the reason of the signal */
export type ReadPart = (part: PlatformPart, signal: AbortSignal) => AsyncIterable<Uint8Array>;

/** For whom backups are encrypted. */
export interface Recovery {
  /** Of manifests. Known to the platform and to the holder of the recovery key. */
  readonly manifestKey: Uint8Array;
  /** The keys of the installation, by name. */
  readonly keys: readonly KeyName[];
  /** All of them, which the recovery key alone opens. */
  readonly sealedKeys: string;
  /** Encrypts a stream for the recovery key. @param context which backup and part it is: opened as another, it is refused */
  seal(body: AsyncIterable<Uint8Array>, context: string): AsyncIterable<Uint8Array>;
}
