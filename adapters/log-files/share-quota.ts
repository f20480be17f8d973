import type { LogFolder } from './log-folder.ts';
import { removeOldestFile } from './retire-files.ts';

/** A log with what it takes on the disk. */
export interface SizedLog {
  readonly folder: LogFolder;
  /** Who answers for it: an org, or the service itself where its org is not known. */
  readonly owner: string;
  readonly bytes: number;
}

interface QuotaOptions {
  readonly quotaBytes: number;
  /** Asked before each file is removed. */
  readonly requireWriter: () => Promise<void>;
  /** Begins the next file of a log, so that the one that was written can go. @returns bytes of the log after that */
  readonly rotate: (folder: LogFolder) => Promise<number>;
  /** Takes an error of one log; the others go on. */
  readonly onError: (error: unknown) => void;
}

/** A log while it is made smaller. */
interface Shrinking {
  readonly folder: LogFolder;
  bytes: number;
  isRotated: boolean;
}

/**
 * Removes the oldest files until all logs together are within the quota. Whoever has most gives first, and of theirs the
 * largest log, the written file too when no other is left: so nobody who has at most an equal share of the quota loses a
 * line to others, however many logs those have.
 * @throws what `requireWriter` does
 */
export async function shareQuota(logs: readonly SizedLog[], options: QuotaOptions): Promise<void> {
  const owners = new Map<string, Set<Shrinking>>();
  for (const { folder, owner, bytes } of logs) {
    const theirs = owners.get(owner) ?? new Set();
    owners.set(owner, theirs.add({ folder, bytes, isRotated: false }));
  }
  const share = options.quotaBytes / owners.size;
  /** Those of whom nothing more can be removed. */
  const done = new Set<string>();
  const spent = new Set<Shrinking>();
  for (;;) {
    const sums = [...owners].map(([owner, theirs]) => ({ owner, theirs, bytes: sumOf(theirs) }));
    if (sums.reduce((sum, { bytes }) => sum + bytes, 0) <= options.quotaBytes) return;
    const most = largestOf(sums.filter(({ owner }) => !done.has(owner)));
    if (most === null || most.bytes <= share) return;
    const log = largestOf([...most.theirs].filter((one) => !spent.has(one)));
    await options.requireWriter();
    if (log === null) done.add(most.owner);
    else if (!(await shrink(log, options))) spent.add(log);
  }
}

/** Removes the oldest file of a log, or makes its only file one that can be removed. @returns false when nothing more can go */
async function shrink(log: Shrinking, { rotate, onError }: QuotaOptions): Promise<boolean> {
  try {
    const freed = await removeOldestFile(log.folder);
    if (freed !== null) {
      log.bytes -= freed;
      return true;
    }
    // Once: one that is written all the time must not be rotated without an end.
    if (log.isRotated) return false;
    log.isRotated = true;
    log.bytes = await rotate(log.folder);
    return true;
  } catch (error) {
    onError(error);
    return false;
  }
}

function sumOf(logs: Iterable<Shrinking>): number {
  let sum = 0;
  for (const { bytes } of logs) sum += bytes;
  return sum;
}

function largestOf<T extends { readonly bytes: number }>(all: readonly T[]): T | null {
  return all.reduce<T | null>((largest, one) => (largest === null || one.bytes > largest.bytes ? one : largest), null);
}
