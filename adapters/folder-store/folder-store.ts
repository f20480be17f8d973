import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { BACKUP_TIERS } from '../../domain/backups/backup.ts';
import { FairleadError } from '../../domain/errors.ts';
import { checkObjectKey } from '../../domain/objects/object-key.ts';
import type { StoredObject } from '../../domain/objects/ports.ts';
import { untilAborted } from '../../domain/objects/until-aborted.ts';
import type { BackupPlace } from '../../domain/platform-backup/ports.ts';
import { syncFolder } from '../sync-folder.ts';

/** Ends the name of what is not written to its end. No key of ours has it. */
const PARTIAL = '.partial';

/**
 * A folder in the place of a bucket, such as of a mounted disk: a key is a path below it. The folder itself is never made: one that is not
 * there is a disk that is not mounted. What else lies there, such as `lost+found`, is not looked at: only the folders of the tiers are.
 */
export function createFolderStore(path: string): BackupPlace {
  const folder = resolve(path);
  const pathOf = (key: string): string => join(folder, ...checkObjectKey(key).split('/'));
  return {
    put: (key, body, { signal, onProgress } = {}) =>
      named(folder, async () => {
        await requireFolder(folder);
        const path = pathOf(key);
        const partial = `${path}.${randomBytes(6).toString('hex')}${PARTIAL}`;
        const hash = createHash('sha256');
        let bytes = 0;
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        try {
          const file = await open(partial, 'wx', 0o600);
          try {
            for await (const piece of untilAborted(passingErrors(body), signal)) {
              await file.writeFile(piece);
              hash.update(piece);
              bytes += piece.byteLength;
              onProgress?.(bytes);
            }
            await file.sync();
          } finally {
            await file.close();
          }
          await rename(partial, path);
          await syncFolder(dirname(path));
        } catch (error) {
          await rm(partial, { force: true });
          throw error;
        }
        const kept = await storedAt(key, path);
        if (kept?.bytes !== bytes) throw damaged(path, `${kept?.bytes ?? 0} bytes instead of ${bytes}`);
        return { bytes, sha256: hash.digest('hex'), etag: kept.etag };
      }),
    head: (key) => named(folder, () => storedAt(key, pathOf(key))),
    get: (key, { signal } = {}) =>
      named(folder, async () => {
        const file = await open(pathOf(key)).catch((error: NodeJS.ErrnoException) => {
          throw error.code === 'ENOENT' ? notFound(pathOf(key)) : error;
        });
        return untilAborted(file.createReadStream(), signal);
      }),
    async *list(prefix) {
      yield* await named(folder, () => listFiles(folder, prefix));
    },
    delete: (key) =>
      named(folder, async () => {
        await removeWithParents(folder, pathOf(key));
      }),
    abortIncomplete: (prefix, startedBefore) =>
      named(folder, async () => {
        await requireFolder(folder);
        const left = (await filesOf(folder, prefix)).filter((path) => path.endsWith(PARTIAL));
        const old: string[] = [];
        for (const path of left) {
          const found = await stat(path).catch(missing(null));
          if (found !== null && found.mtime < startedBefore) old.push(path);
        }
        for (const path of old) await removeWithParents(folder, path);
        return old.length;
      }),
    ensureBucket: () => named(folder, () => requireFolder(folder)),
  };
}

async function requireFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() === true) return;
  // No later call finds it: somebody has to mount it.
  throw new FairleadError('OBJECT_STORE_UNREACHABLE', `${folder} is not there: mount its disk, or make the folder`);
}

async function storedAt(key: string, path: string): Promise<StoredObject | null> {
  const found = await stat(path).catch(missing(null));
  if (found === null || !found.isFile()) return null;
  return { key, bytes: found.size, etag: `${found.size}-${found.mtimeMs}`, modifiedAt: found.mtime };
}

async function listFiles(folder: string, prefix: string): Promise<readonly StoredObject[]> {
  await requireFolder(folder);
  const paths = (await filesOf(folder, prefix)).filter((path) => !path.endsWith(PARTIAL));
  const wanted = paths.map((path) => keyOf(folder, path)).sort();
  const found: StoredObject[] = [];
  for (const key of wanted) {
    const stored = await storedAt(key, join(folder, ...key.split('/')));
    if (stored !== null) found.push(stored);
  }
  return found;
}

/** Removes a file, and as with a bucket, folders are there for as long as something is in them. */
async function removeWithParents(folder: string, path: string): Promise<void> {
  await rm(path, { force: true });
  for (let parent = dirname(path); parent !== folder; parent = dirname(parent)) {
    const isGone = await rmdir(parent).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

/** Paths of files whose keys begin with a prefix. No other folder is read. */
async function filesOf(folder: string, prefix: string): Promise<readonly string[]> {
  const within = prefix.includes('/') ? [prefix.slice(0, prefix.lastIndexOf('/'))] : BACKUP_TIERS;
  const found = await Promise.all(within.map((name) => filesBelow(join(folder, ...checkObjectKey(name).split('/')))));
  return found.flat().filter((path) => keyOf(folder, path).startsWith(prefix));
}

/** One folder after the other: one that goes meanwhile has nothing. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(missing([]))) {
    const path = join(folder, entry.name);
    if (entry.isFile()) files.push(path);
    if (entry.isDirectory()) files.push(...(await filesBelow(path)));
  }
  return files;
}

function missing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return instead;
    throw error;
  };
}

function keyOf(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/** An error of whoever gives the content, which is passed on as it is. */
class BodyError extends Error {
  override readonly name = 'BodyError';
}

async function* passingErrors(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw new BodyError('the content could not be read', { cause });
  }
}

function notFound(path: string): FairleadError {
  return new FairleadError('OBJECT_NOT_FOUND', `${path} is not there`);
}

function damaged(path: string, difference: string): FairleadError {
  return new FairleadError('OBJECT_DAMAGED', `${path} was not kept as it was written: ${difference}`, {
    retryable: true,
  });
}

/** Errors of the file system under the codes of an object store, saying what to do with a folder. */
async function named<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BodyError) throw error.cause;
    if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error;
    const { code, path = folder } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      const message = `${folder} has no space left: free some, or mount a larger disk, and retry`;
      throw new FairleadError('OBJECT_STORE_FULL', message, { cause: error });
    }
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      const message = `${path} may not be used (${code}): give the user of the worker the right to read and write below ${folder}`;
      throw new FairleadError('OBJECT_STORE_REFUSED', message, { cause: error });
    }
    const message = `${path} cannot be used (${code}): see to the disk of ${folder}`;
    throw new FairleadError('OBJECT_STORE_UNREACHABLE', message, { cause: error, retryable: true });
  }
}
