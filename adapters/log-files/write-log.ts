import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { FairleadError } from '../../domain/errors.ts';
import type { OpenServiceLog, ServiceLogLine } from '../../domain/logs/service-log.ts';
import { fileNumbers, filePath, type RawLine, rawLines, storedLine, storedPositions } from './log-folder.ts';
import { encodeLine, encodePositions, notedPositions, type Positions } from './stored-lines.ts';

export interface LogFileLimits {
  /** A file is rotated before it would be larger. */
  readonly fileBytes: number;
  /** How many files of a log are kept. */
  readonly files: number;
  /** How many bytes of lines stand between two notes of the positions: what is read to find them again. */
  readonly noteEveryBytes: number;
}

interface WriterOptions {
  /** @throws CONFLICT when another writer has taken over */
  readonly requireWriter: () => Promise<void>;
  readonly limits: LogFileLimits;
}

/** The file that is written. */
interface Current {
  readonly number: number;
  readonly handle: FileHandle;
  readonly bytes: number;
  /** Bytes of lines since the positions were noted. */
  readonly sinceNote: number;
}

/**
 * Opens a log for writing. Where the output of each workload was left stands in the log itself, so that no kill comes
 * between a line and its position: each file begins with the positions, they are noted again every `noteEveryBytes`, and
 * the lines after the last note tell the rest. What a killed writer left of a line is cut off.
 */
export async function openLog(folder: string, { requireWriter, limits }: WriterOptions): Promise<OpenServiceLog> {
  await requireWriter();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files = await fileNumbers(folder);
  let positions = await findPositions(folder, files);
  let current = await openFile(folder, files.at(-1) ?? 1);
  let last: Promise<unknown> = Promise.resolve();

  const rotate = async (): Promise<void> => {
    const next = await beginFile(folder, current.number + 1, positions);
    const before = current;
    current = next;
    await before.handle.close();
    for (const number of await fileNumbers(folder)) {
      if (number <= next.number - limits.files) await rm(filePath(folder, number), { force: true });
    }
  };
  const append = async (lines: readonly ServiceLogLine[]): Promise<void> => {
    await requireWriter();
    const text = lines.map(encodeLine).join('');
    if (current.bytes > 0 && current.bytes + Buffer.byteLength(text) > limits.fileBytes) await rotate();
    const isDue = current.sinceNote > limits.noteEveryBytes;
    const bytes = Buffer.from(isDue ? encodePositions(positions) + text : text);
    await writeWhole(current, bytes);
    const sinceNote = (isDue ? 0 : current.sinceNote) + bytes.length;
    current = { ...current, bytes: current.bytes + bytes.length, sinceNote };
    positions = notedPositions(positions, lines);
  };

  return {
    position: (workload) => positions[workload] ?? {},
    append(lines) {
      const written = last.then(() => append(lines));
      last = written.catch(() => undefined);
      return written;
    },
    async close() {
      await last;
      await current.handle.close();
    },
  };
}

/** Begins the file of a rotation; there is none when that failed. */
async function beginFile(folder: string, number: number, positions: Positions): Promise<Current> {
  const handle = await open(filePath(folder, number), 'ax', 0o600);
  const bytes = Buffer.from(encodePositions(positions));
  const file = { number, handle, bytes: 0, sinceNote: 0 };
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
async function openFile(folder: string, number: number): Promise<Current> {
  const handle = await open(filePath(folder, number), 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    const { lines } = await readBack(handle, size, () => true);
    const end = lines.at(-1)?.next.offset ?? 0;
    if (end < size) await handle.truncate(end);
    // Noted again with the next line: it may be long ago.
    return { number, handle, bytes: end, sinceNote: Number.POSITIVE_INFINITY };
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

/** The positions that a log tells, from its end backwards as far as they were noted last. */
async function findPositions(folder: string, files: readonly number[]): Promise<Positions> {
  let following: readonly RawLine[] = [];
  for (const number of files.toReversed()) {
    const handle = await open(filePath(folder, number), 'r');
    try {
      const { size } = await handle.stat();
      const { lines, found } = await readBack(handle, size, (all) =>
        all.some((line) => storedPositions(line) !== null),
      );
      following = [...lines, ...following];
      if (found) break;
    } finally {
      await handle.close();
    }
  }
  return following.reduce<Positions>((positions, raw) => {
    const line = storedLine(raw);
    return line === null ? (storedPositions(raw) ?? positions) : notedPositions(positions, [line.line]);
  }, {});
}

const FIRST_PIECE_BYTES = 512 * 1024;

/** The whole lines at the end of a file: as many as are enough, or all. */
async function readBack(handle: FileHandle, size: number, isEnough: (lines: readonly RawLine[]) => boolean) {
  for (let length = FIRST_PIECE_BYTES; ; length *= 4) {
    const from = Math.max(0, size - length);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    const all = rawLines(buffer.subarray(0, bytesRead), { file: 0, offset: from });
    // The first one began earlier.
    const lines = from === 0 ? all : all.slice(1);
    const found = lines.length > 0 && isEnough(lines);
    if (found || from === 0) return { lines, found };
  }
}

function asDiskFull(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  const text = 'The disk of DATA_DIR is full, so the output of services is not written: free some space';
  return new FairleadError('DISK_FULL', text, { cause: error, retryable: true });
}
