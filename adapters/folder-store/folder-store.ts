import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { FairleadError } from '../../domain/errors.ts';
import {
  objectDamaged,
  objectNotFound,
  objectStoreFull,
  objectStoreRefused,
  objectStoreUnreachable,
} from '../../domain/objects/object-errors.ts';
import { checkObjectKey } from '../../domain/objects/object-key.ts';
import type { StoredObject } from '../../domain/objects/ports.ts';
import { untilAborted } from '../../domain/objects/until-aborted.ts';
import type { BackupPlace } from '../../domain/platform-backup/ports.ts';

/** Ends the name of what is not written to its end. No key of ours has it. */
const PARTIAL = '.partial';

/**
 * A folder in the place of a bucket, such as of a mounted disk: a key is a path below it. The folder itself is never made: one that is not
 * there is a disk that is not mounted.
 */
export function createFolderStore(folder: string): BackupPlace {
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
        if (kept?.bytes !== bytes) throw objectDamaged(key, `${kept?.bytes ?? 0} bytes instead of ${bytes}`);
        return { bytes, sha256: hash.digest('hex'), etag: kept.etag };
      }),
    head: (key) => named(folder, () => storedAt(key, pathOf(key))),
    get: (key, { signal } = {}) =>
      named(folder, async () => {
        const file = await open(pathOf(key)).catch((error: NodeJS.ErrnoException) => {
          throw error.code === 'ENOENT' ? objectNotFound(key) : error;
        });
        return untilAborted(file.createReadStream(), signal);
      }),
    async *list(prefix) {
      yield* await named(folder, () => listFiles(folder, prefix));
    },
    delete: (key) =>
      named(folder, async () => {
        await rm(pathOf(key), { force: true });
        // As with a bucket, a folder is there for as long as something is in it.
        for (let parent = dirname(pathOf(key)); parent !== folder; parent = dirname(parent)) {
          const isGone = await rmdir(parent).then(
            () => true,
            () => false,
          );
          if (!isGone) return;
        }
      }),
    abortIncomplete: (prefix, startedBefore) =>
      named(folder, async () => {
        const left = (await filesBelow(folder)).filter(
          (path) => path.endsWith(PARTIAL) && keyOf(folder, path).startsWith(prefix),
        );
        const old: string[] = [];
        for (const path of left) if ((await stat(path)).mtime < startedBefore) old.push(path);
        for (const path of old) await rm(path, { force: true });
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
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (found === null || !found.isFile()) return null;
  return { key, bytes: found.size, etag: `${found.size}-${found.mtimeMs}`, modifiedAt: found.mtime };
}

async function listFiles(folder: string, prefix: string): Promise<readonly StoredObject[]> {
  await requireFolder(folder);
  const keys = (await filesBelow(folder)).filter((path) => !path.endsWith(PARTIAL)).map((path) => keyOf(folder, path));
  const wanted = keys.filter((key) => key.startsWith(prefix)).sort();
  const found: StoredObject[] = [];
  for (const key of wanted) {
    const stored = await storedAt(key, join(folder, ...key.split('/')));
    if (stored !== null) found.push(stored);
  }
  return found;
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function keyOf(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/** A rename is kept by a power cut once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
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

/** Errors of the file system as those of an object store. */
async function named<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BodyError) throw error.cause;
    if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw objectStoreFull(error);
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
      throw objectStoreRefused(`${code} in ${folder}`, error);
    throw objectStoreUnreachable(`at ${folder} cannot be used (${code})`, error);
  }
}
