import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveStore } from '../../domain/deploys/source-ports.ts';
import { type KeptUpload, makeRoom, UPLOAD_QUOTA, type UploadQuota } from '../../domain/deploys/upload-quota.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { NewId } from '../../domain/ids.ts';
import { freeBytes } from '../free-bytes.ts';
import { syncFolder } from '../sync-folder.ts';

const SUFFIX = '.tar.gz';
const PARTIAL_SUFFIX = '.partial';
const ID_PATTERN = /^arc_[0-9a-z]{1,64}$/;
/** `<id>.<owner>.tar.gz`; earlier versions named no owner. */
const NAME_PATTERN = /^(arc_[0-9a-z]{1,64})(?:\.([0-9a-f]{16}))?\.(?:tar\.gz|partial)$/;

export interface ArchiveStoreOptions {
  /** `DATA_DIR/archives`; made when it is missing. */
  readonly directory: string;
  readonly newId: NewId;
  /** Stays free on the disk for the rest of the platform; 512 MiB when it is left out. */
  readonly reserveBytes?: number;
  /** What the archives of one org may take together; {@link UPLOAD_QUOTA} for what is left out. */
  readonly quota?: Partial<UploadQuota>;
}

const RESERVE_BYTES = 512 * 1024 ** 2;
/** Between two looks at the free space while an archive is written. */
const LOOK_EVERY_BYTES = 16 * 1024 ** 2;

/**
 * Uploaded archives as files of one directory. An archive is there whole or not at all: it is written under another
 * name, synced and renamed.
 */
export function createArchiveStore(options: ArchiveStoreOptions): ArchiveStore {
  const { directory, newId, reserveBytes = RESERVE_BYTES } = options;
  const quota = { ...UPLOAD_QUOTA, ...options.quota };
  return {
    async save(content, bounds) {
      const id = newId('archive');
      const path = join(directory, `${id}.${ownerKey(bounds.org)}`);
      const partial = `${path}${PARTIAL_SUFFIX}`;
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        const requireSpace = async () => {
          await requireFree(directory, reserveBytes);
          const kept = await archivesOf(directory, bounds.org);
          await makeRoom(kept, { ...bounds, quota, now: new Date(), remove: ({ path }) => rm(path, { force: true }) });
        };
        const written = await writeSynced(partial, content, { limitBytes: bounds.limitBytes, requireSpace });
        await rename(partial, `${path}${SUFFIX}`);
        await syncFolder(directory);
        return { id, ...written };
      } catch (error) {
        await rm(partial, { force: true });
        throw asDiskFull(error, directory);
      }
    },

    async open(id) {
      const isIt = (name: string) => name.endsWith(SUFFIX) && NAME_PATTERN.exec(name)?.[1] === id;
      const name = (await namesIn(directory)).find(isIt);
      if (name === undefined) throw gone(id);
      const file = await open(join(directory, name), 'r').catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? gone(id) : error;
      });
      return file.createReadStream();
    },

    async prune(before, isNeeded, signal) {
      let removed = 0;
      for (const name of await namesIn(directory)) {
        signal.throwIfAborted();
        const id = NAME_PATTERN.exec(name)?.[1];
        if (id === undefined) continue;
        const path = join(directory, name);
        const facts = await stat(path).catch(ignoreMissing);
        if (facts === null || facts.mtime >= before || (await isNeeded(id))) continue;
        await rm(path, { force: true });
        removed += 1;
      }
      return removed;
    },
  };
}

async function writeSynced(
  path: string,
  content: AsyncIterable<Uint8Array>,
  { limitBytes, requireSpace }: { readonly limitBytes: number; readonly requireSpace: () => Promise<void> },
): Promise<{ sha256: string; sizeBytes: number }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let lookAt = LOOK_EVERY_BYTES;
  const file = await open(path, 'wx', 0o600);
  try {
    await requireSpace();
    for await (const chunk of content) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > limitBytes) throw tooLarge(limitBytes);
      if (sizeBytes > lookAt) {
        await requireSpace();
        // Else what a database writes meanwhile would wait for all of the upload.
        await file.datasync();
        lookAt = sizeBytes + LOOK_EVERY_BYTES;
      }
      hash.update(chunk);
      await writeAll(file, chunk);
    }
    // Of uploads that end at the same time, the one that looks last sees the others whole: the quota is never exceeded.
    await requireSpace();
    await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: hash.digest('hex'), sizeBytes };
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let rest = chunk;
  while (rest.byteLength > 0) {
    const { bytesWritten } = await file.write(rest);
    rest = rest.subarray(bytesWritten);
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return (await readdir(directory).catch(ignoreMissing)) ?? [];
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** What an org is called in names of files: its name may hold anything. */
function ownerKey(org: string): string {
  return createHash('sha256').update(org).digest('hex').slice(0, 16);
}

/** All that an org has, uploads under way too. */
async function archivesOf(
  directory: string,
  org: string,
): Promise<readonly (KeptUpload & { readonly path: string })[]> {
  const owner = ownerKey(org);
  const kept: (KeptUpload & { readonly path: string })[] = [];
  for (const name of await namesIn(directory)) {
    const [, id, nameOwner] = NAME_PATTERN.exec(name) ?? [];
    if (id === undefined || nameOwner !== owner) continue;
    const path = join(directory, name);
    const facts = await stat(path).catch(ignoreMissing);
    if (facts !== null) kept.push({ id, path, sizeBytes: facts.size, savedAt: facts.mtime });
  }
  return kept;
}

/** Uploads must not take the space that databases and logs need. @throws DISK_FULL */
async function requireFree(directory: string, reserveBytes: number): Promise<void> {
  if ((await freeBytes(directory)) >= reserveBytes) return;
  const mib = Math.ceil(reserveBytes / 1024 ** 2);
  const message = `Less than ${mib} MiB are free for uploaded archives in ${directory}; free some and retry`;
  throw new FairleadError('DISK_FULL', message, { details: { reserveBytes } });
}

function asDiskFull(error: unknown, directory: string): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new FairleadError('DISK_FULL', `No space left for the uploaded archive in ${directory}; free some and retry`, {
    cause: error,
  });
}

function tooLarge(limitBytes: number): FairleadError {
  const mib = Math.floor((limitBytes / 1024 / 1024) * 10) / 10;
  const remedy = 'leave out what the build does not need, such as node_modules and build output';
  return new FairleadError('PAYLOAD_TOO_LARGE', `The archive is larger than ${mib} MiB; ${remedy}`, {
    details: { limitBytes },
  });
}

function gone(id: string): FairleadError {
  const shown = ID_PATTERN.test(id) ? id : 'of that id';
  return new FairleadError('SOURCE_MISSING', `The uploaded archive ${shown} no longer exists; upload it again`);
}
