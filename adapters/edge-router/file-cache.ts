import { type BigIntStats, closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { FairleadError } from '../../domain/errors.ts';

/** Bytes of the largest file of a route, host or certificate: nothing that was written here is longer. */
const MOST_BYTES = 256 * 1024;

interface Known<T> {
  readonly identity: string;
  readonly value: T;
}

/**
 * Reads files that are replaced by renaming, and keeps what it made of the `most` that were asked for last. Whether the file
 * is still the one that was read is looked at each time, which costs some microseconds and is what makes a change take
 * effect at once, in every router process, without a message.
 * @returns null where there is no such file
 * @throws INTERNAL for a file that `parse` refuses
 */
export function createFileCache<T extends object>(
  most: number,
  parse: (text: string) => T,
): (path: string) => T | null {
  const known = new LRUCache<string, Known<T>>({ max: most });
  return (path) => {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    const cached = known.get(path);
    if (stat !== undefined && cached?.identity === identityOf(stat)) return cached.value;
    known.delete(path);
    const read = stat === undefined ? null : readKnown(path, parse);
    if (read !== null) known.set(path, read);
    return read?.value ?? null;
  };
}

/** Content and identity are of one file, whatever is renamed over it meanwhile. */
function readKnown<T>(path: string, parse: (text: string) => T): Known<T> | null {
  const file = openIfThere(path);
  if (file === null) return null;
  try {
    const stat = fstatSync(file, { bigint: true });
    if (stat.size > MOST_BYTES) throw new Error(`it has ${stat.size} bytes`);
    return { identity: identityOf(stat), value: parse(readFileSync(file, 'utf8')) };
  } catch (cause) {
    throw new FairleadError('INTERNAL', `${path} cannot be used`, { cause });
  } finally {
    closeSync(file);
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function identityOf(stat: BigIntStats): string {
  return `${stat.ino}:${stat.mtimeNs}:${stat.size}`;
}
