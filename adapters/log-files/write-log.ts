import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { isRotationDue, type LogRotation, type WrittenFile } from '../../domain/logs/rotation.ts';
import type { OpenServiceLog, ServiceLogLine } from '../../domain/logs/service-log.ts';
import { findPositions, readBack } from './find-positions.ts';
import { fileNumbers, filePath, type LogFolder, storedPositions, writtenNumber } from './log-folder.ts';
import { plainFile } from './open-file.ts';
import { removeOldest } from './retire-files.ts';
import { encodeLine, encodePositions, notedPositions, type Positions } from './stored-lines.ts';

export interface LogFileLimits extends LogRotation {
  /** How many bytes of lines stand between two notes of the positions: what is read to find them again. */
  readonly noteEveryBytes: number;
}

interface WriterOptions {
  /** @throws CONFLICT when another writer has taken over */
  readonly requireWriter: () => Promise<void>;
  readonly limits: LogFileLimits;
  readonly now: Clock;
}

/** The file that is written. */
interface Current extends WrittenFile {
  readonly number: number;
  readonly handle: FileHandle;
  /** Bytes of lines since the positions were noted. */
  readonly sinceNote: number;
}

export interface OpenLogFiles extends OpenServiceLog {
  /** Begins the next file when a day (UTC) has begun since the last line. @throws as `append` does */
  rotateIfDue(): Promise<void>;
  /** Begins the next file, unless this one has no line yet. @throws as `append` does */
  rotate(): Promise<void>;
}

/**
 * Opens a log for writing. Where the output of each workload was left stands in the log itself, so that no kill comes
 * between a line and its position: each file begins with the positions, they are noted again every `noteEveryBytes`, and
 * the lines after the last note tell the rest. What a killed writer left of a line is cut off.
 */
export async function openLog(folder: LogFolder, { requireWriter, limits, now }: WriterOptions): Promise<OpenLogFiles> {
  await requireWriter();
  await mkdir(folder.path, { recursive: true, mode: 0o700 });
  const files = await fileNumbers(folder);
  let positions = await findPositions(folder, files);
  let current = await openFile(folder, await writtenNumber(folder, files));
  let last: Promise<unknown> = Promise.resolve();

  const rotate = async (): Promise<void> => {
    const next = await beginFile(folder, current.number + 1, { positions, now });
    const before = current;
    current = next;
    await before.handle.close();
    await removeOldest(folder, await fileNumbers(folder), limits.retain);
  };
  const rotateIfDue = async (more: number): Promise<void> => {
    if (isRotationDue(current, { fileBytes: limits.fileBytes, now: now(), more })) await rotate();
  };
  const append = async (lines: readonly ServiceLogLine[]): Promise<void> => {
    await requireWriter();
    const encoded = Buffer.from(lines.map(encodeLine).join(''));
    await rotateIfDue(encoded.length);
    const isDue = current.sinceNote > limits.noteEveryBytes;
    const bytes = isDue ? Buffer.concat([Buffer.from(encodePositions(positions)), encoded]) : encoded;
    await writeWhole(current, bytes);
    const sinceNote = (isDue ? 0 : current.sinceNote) + bytes.length;
    current = { ...current, bytes: current.bytes + bytes.length, sinceNote, hasLines: true, writtenAt: now() };
    positions = notedPositions(positions, lines);
  };
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };

  return {
    position: (workload) => positions[workload] ?? {},
    append: (lines) => inOrder(() => append(lines)),
    rotateIfDue: () =>
      inOrder(async () => {
        await requireWriter();
        await rotateIfDue(0);
      }),
    rotate: () =>
      inOrder(async () => {
        await requireWriter();
        if (current.hasLines) await rotate();
      }),
    async close() {
      await last;
      await current.handle.close();
    },
  };
}

/** Begins the file of a rotation; there is none when that failed. */
async function beginFile(
  folder: LogFolder,
  number: number,
  { positions, now }: { readonly positions: Positions; readonly now: Clock },
): Promise<Current> {
  const handle = await open(filePath(folder, number), 'ax', 0o600);
  const bytes = Buffer.from(encodePositions(positions));
  const file = { number, handle, bytes: 0, sinceNote: 0, hasLines: false, writtenAt: now() };
  try {
    await writeWhole(file, bytes);
  } catch (error) {
    await handle.close();
    await rm(filePath(folder, number), { force: true });
    throw error;
  }
  return { ...file, bytes: bytes.length };
}

/** Opens a file behind its last whole line. */
async function openFile(folder: LogFolder, number: number): Promise<Current> {
  const handle = await open(filePath(folder, number), 'a+', 0o600);
  try {
    const { size, mtime } = await handle.stat();
    const { lines } = await readBack(await plainFile(handle), () => true);
    const end = lines.at(-1)?.next.offset ?? 0;
    if (end < size) await handle.truncate(end);
    const hasLines = lines.some((line) => storedPositions(line) === null);
    // Noted again with the next line: it may be long ago.
    return { number, handle, bytes: end, sinceNote: Number.POSITIVE_INFINITY, hasLines, writtenAt: mtime };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Writes all of the bytes or, as far as anybody will read, none of them. @throws DISK_FULL */
async function writeWhole({ handle, bytes: end }: Current, bytes: Buffer): Promise<void> {
  try {
    await handle.appendFile(bytes);
  } catch (error) {
    await handle.truncate(end);
    throw asDiskFull(error);
  }
}

function asDiskFull(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  const text = 'The disk of DATA_DIR is full, so the output of services is not written: free some space';
  return new FairleadError('DISK_FULL', text, { cause: error, retryable: true });
}
