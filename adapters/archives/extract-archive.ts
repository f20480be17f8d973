import { addAbortListener } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { FairleadError } from '../../domain/errors.ts';
import { badEntry } from './entry-path.ts';
import { createTreeWriter, type TreeWriter } from './tree-writer.ts';

export interface ExtractLimits {
  /** Unpacked bytes, headers and padding included. */
  readonly totalBytes: number;
  /** Entries, and separately directories, those that entries only imply included. */
  readonly entries: number;
  /** Bytes of one entry's path. */
  readonly pathBytes: number;
  /** Unpacked to packed bytes; looked at past 16 MiB. */
  readonly ratio: number;
}

export const DEFAULT_EXTRACT_LIMITS: ExtractLimits = {
  totalBytes: 1024 ** 3,
  entries: 100_000,
  pathBytes: 1_024,
  ratio: 200,
};

export interface Extracted {
  readonly entries: number;
  readonly unpackedBytes: number;
  /** The directory that held everything and was taken off; null when none was. */
  readonly strippedDirectory: string | null;
  /** The only directory at the top when there is nothing beside it and it was left where it is. */
  readonly onlyDirectory: string | null;
}

type TarEntry = AsyncIterable<unknown> & { readonly header: Header };

const RATIO_FREE_BYTES = 16 * 1024 * 1024;
const FILE_TYPES: ReadonlySet<string> = new Set(['file', 'contiguous-file']);
const GIT_COMMENT = /^\d+ comment=[0-9a-f]{40}/;

/**
 * Unpacks a gzip-compressed tar into `directory`, which must not exist or be empty. Files become 0644 or 0755; owners,
 * times and special bits are dropped.
 *
 * A directory at the top that holds everything is taken off when the archive was made by `git archive` (as the archives
 * of git hosts are); in any other archive it is left, because it may be the app path the service names.
 *
 * Nothing is ever written outside `directory`. After an error its content is undefined; the caller removes it.
 *
 * @throws ARCHIVE_INVALID naming the entry, DISK_FULL, the signal's reason.
 */
export async function extractArchive(
  content: AsyncIterable<Uint8Array>,
  directory: string,
  signal: AbortSignal,
  limits: ExtractLimits = DEFAULT_EXTRACT_LIMITS,
): Promise<Extracted> {
  signal.throwIfAborted();
  await mkdir(directory, { recursive: true });
  const tree = createTreeWriter(directory, limits);
  const meter = createMeter(limits);
  const unpack = extract();
  let entries = 0;
  let writing: Promise<unknown> = Promise.resolve();
  let writeError: Error | null = null;
  const take = async (entry: TarEntry): Promise<void> => {
    entries += 1;
    if (entries > limits.entries) throw invalid(`The archive has more than ${limits.entries} entries`);
    await writeEntry(tree, entry, limits);
  };
  // The iterator of tar-stream waits for ever when the stream ends by an error between two entries; its events do not.
  unpack.on('entry', (_header, entry, next) => {
    entry.on('error', () => {});
    writing = take(entry).then(
      () => {
        entry.resume();
        next();
      },
      (error: unknown) => {
        if (isSystemError(error)) writeError ??= error;
        next(error as Error);
      },
    );
  });
  try {
    const source = Readable.from(checkMagic(content));
    await orAborted(pipeline(source, meter.packed, createGunzip(), meter.unpacked, unpack, { signal }), signal);
  } catch (error) {
    await writing;
    signal.throwIfAborted();
    // A write that fails in the middle of an entry closes the streams, and their error says no more than that.
    throw explain(writeError ?? error);
  } finally {
    await writing;
  }
  if (entries === 0) throw invalid('The archive is empty');
  return {
    entries,
    unpackedBytes: meter.unpackedBytes(),
    ...(await unwrapOnlyDirectory(directory, tree, meter.madeByGit())),
  };
}

/** An abort closes the streams at once, but a source that hangs never reports its own end: it is not waited for. */
async function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  using _listener = addAbortListener(signal, () => reject(signal.reason));
  await Promise.race([work, promise]);
}

async function writeEntry(tree: TreeWriter, entry: TarEntry, limits: ExtractLimits): Promise<void> {
  const { name, type, size, linkname, mode } = entry.header;
  if (size > limits.totalBytes) throw badEntry(name, `is larger than ${limits.totalBytes} bytes`);
  if (type === 'directory') return await tree.directory(name);
  if (type === 'symlink') return await tree.symlink(name, linkname ?? '');
  if (type === 'link') return await tree.hardLink(name, linkname ?? '');
  if (!FILE_TYPES.has(type)) {
    throw badEntry(name, `is of a kind that source code does not need (${type ?? 'unknown'})`);
  }
  const path = await tree.place(name);
  await pipeline(chunksOf(entry), createWriteStream(path, { flags: 'wx', mode: (mode & 0o111) === 0 ? 0o644 : 0o755 }));
}

/** As an iterator: pipeline does not see the end of a destroyed entry, which is a stream of another make. */
async function* chunksOf(entry: TarEntry): AsyncGenerator<unknown> {
  yield* entry;
}

async function* checkMagic(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head = Buffer.alloc(0);
  let checked = false;
  for await (const chunk of content) {
    if (checked) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < 4) continue;
    refuseOtherFormats(head);
    checked = true;
    yield head;
  }
  if (!checked) throw invalid(head.length === 0 ? 'The archive is empty' : 'The archive is cut off');
}

function refuseOtherFormats(head: Buffer): void {
  if (head[0] === 0x1f && head[1] === 0x8b) return;
  const isZip = head.subarray(0, 2).toString('latin1') === 'PK';
  throw invalid(`The archive is ${isZip ? 'a zip file' : 'not gzip-compressed'}; pack it with tar -czf`);
}

interface Meter {
  readonly packed: Transform;
  readonly unpacked: Transform;
  unpackedBytes(): number;
  madeByGit(): boolean;
}

/** Counts both sides of the decompression and stops it past the limits, before the bytes are looked at. */
function createMeter(limits: ExtractLimits): Meter {
  let packedBytes = 0;
  let unpackedBytes = 0;
  let head = Buffer.alloc(0);
  const packed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      packedBytes += chunk.length;
      done(null, chunk);
    },
  });
  const check = (): Error | null => {
    if (unpackedBytes > limits.totalBytes)
      return invalid(`The archive unpacks to more than ${limits.totalBytes} bytes`);
    const packedTooWell = unpackedBytes > RATIO_FREE_BYTES && unpackedBytes > packedBytes * limits.ratio;
    return packedTooWell ? invalid(`The archive unpacks to more than ${limits.ratio} times its size`) : null;
  };
  const unpacked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      unpackedBytes += chunk.length;
      if (head.length < 1_024) head = Buffer.concat([head, chunk.subarray(0, 1_024)]);
      const problem = check();
      if (problem === null) done(null, chunk);
      else done(problem);
    },
  });
  return {
    packed,
    unpacked,
    unpackedBytes: () => unpackedBytes,
    // `git archive` begins with a global header whose comment is the commit.
    madeByGit: () => head[156] === 0x67 && GIT_COMMENT.test(head.subarray(512).toString('latin1')),
  };
}

async function unwrapOnlyDirectory(
  directory: string,
  tree: TreeWriter,
  madeByGit: boolean,
): Promise<Pick<Extracted, 'strippedDirectory' | 'onlyDirectory'>> {
  const [only, ...others] = await readdir(directory, { withFileTypes: true });
  if (only === undefined || others.length > 0 || !only.isDirectory()) {
    return { strippedDirectory: null, onlyDirectory: null };
  }
  if (!madeByGit) return { strippedDirectory: null, onlyDirectory: only.name };
  tree.requireLinksBelow(1);
  // A neighbour's name, so that a file inside with the name of the directory is not in the way.
  const aside = join(dirname(directory), `.${only.name.slice(0, 100)}.${process.pid}.unpacked`);
  await rename(join(directory, only.name), aside);
  await rmdir(directory);
  await rename(aside, directory);
  return { strippedDirectory: only.name, onlyDirectory: null };
}

/** True for what the operating system refused. */
const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;

function explain(error: unknown): unknown {
  if (error instanceof FairleadError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new FairleadError('DISK_FULL', 'No space left to unpack the archive; free some and retry', { cause: error });
  }
  if (code === 'Z_BUF_ERROR' || message === 'Unexpected end of data') return invalid('The archive is cut off', error);
  if (code?.startsWith('Z_')) return invalid(`The archive is damaged (${message})`, error);
  if (/header/i.test(message)) return invalid('The archive is not a valid tar inside gzip', error);
  return error;
}

function invalid(problem: string, cause?: unknown): FairleadError {
  return new FairleadError('ARCHIVE_INVALID', problem, { cause });
}
