import { type FileHandle, open } from 'node:fs/promises';
import type {
  LastLines,
  LogPlace,
  ServiceLogReader,
  ServiceLogTarget,
  StoredLine,
} from '../../domain/logs/service-log.ts';
import { fileNumbers, filePath, isMissing, logFolder, type RawLine, rawLines, storedLine } from './log-folder.ts';

/** Bytes that are looked at for each line that is asked for (spec 2, "Limits"). */
const BYTES_A_LINE = 2 * 1024;
/** Bytes of one read of a follower: more than the longest line takes as JSON. */
const PIECE_BYTES = 256 * 1024;

const START: LogPlace = { file: 0, offset: 0 };

/** Reads the files that `write-log.ts` writes, while it writes them. */
export function createLogReader(root: string): ServiceLogReader {
  return {
    last: async (target, wanted) => readLast(logFolder(root, target), wanted),
    after: async (target, place) => readAfter(root, target, place),
  };
}

async function readLast(folder: string | null, { count, matches }: LastLines): ReturnType<ServiceLogReader['last']> {
  const files = folder === null ? [] : await fileNumbers(folder);
  let next = START;
  let budget = count * BYTES_A_LINE;
  let complete = true;
  const found: StoredLine[] = [];
  for (const file of files.reverse()) {
    const piece =
      budget > 0 ? await readEnd(filePath(folder ?? '', file), budget) : { bytes: Buffer.alloc(0), from: 1 };
    if (piece === null) continue;
    const lines = linesFrom(piece.bytes, { file, offset: piece.from });
    if (next === START) next = lines.at(-1)?.next ?? { file, offset: piece.from };
    complete = takeMatching(lines, { count, matches }, found) && piece.from === 0;
    budget -= piece.bytes.length;
    if (!complete) break;
  }
  return { lines: found.reverse(), next, truncated: !complete };
}

/** Adds the last lines that match to `found`, the newest first. @returns whether all were looked at */
function takeMatching(lines: readonly RawLine[], { count, matches }: LastLines, found: StoredLine[]): boolean {
  for (const raw of lines.toReversed()) {
    const stored = storedLine(raw);
    if (stored === null || !matches(stored.line)) continue;
    if (found.length === count) return false;
    found.push(stored);
  }
  return true;
}

/** So many bytes at the end of a file; more when they hold no whole line, so that the last one can always be read. */
async function readEnd(path: string, bytes: number): Promise<{ bytes: Buffer; from: number } | null> {
  return withFile(path, async (handle) => {
    const { size } = await handle.stat();
    const end = async (length: number) => {
      const from = Math.max(0, size - length);
      return { bytes: await readPiece(handle, from, size - from), from };
    };
    const piece = await end(bytes);
    const hasWhole = piece.from === 0 || rawLines(piece.bytes, START).length > 1;
    return hasWhole || bytes >= PIECE_BYTES ? piece : await end(PIECE_BYTES);
  });
}

async function readAfter(
  root: string,
  target: ServiceLogTarget,
  place: LogPlace,
): ReturnType<ServiceLogReader['after']> {
  const folder = logFolder(root, target);
  if (folder === null) return { lines: [], next: place, lost: false };
  let from = place;
  let lost = false;
  for (;;) {
    const piece = from.file === 0 ? null : await readPieceAt(folder, from);
    if (piece !== null && piece.lines.length > 0) return { ...piece, lost };
    const following = await followingFile(folder, from, piece !== null);
    // At the end of the newest file, or of none.
    if (following === null) return { lines: [], next: piece?.next ?? from, lost };
    // What was written to a file before the next one was begun may have come since it was read.
    if (piece !== null) {
      const rest = await readPieceAt(folder, piece.next);
      if (rest !== null && rest.lines.length > 0) return { ...rest, lost };
    }
    lost ||= piece === null && from.file > 0;
    from = { file: following, offset: 0 };
  }
}

/** The file in which a log goes on after another one; null when that was the newest. A place of no log begins the log anew. */
async function followingFile(folder: string, { file }: LogPlace, isThere: boolean): Promise<number | null> {
  const files = await fileNumbers(folder);
  return files.find((one) => one > file) ?? (isThere ? null : (files[0] ?? null));
}

/** The lines of at most {@link PIECE_BYTES} from a place on, and where to go on; null when there is no such file. */
async function readPieceAt(folder: string, place: LogPlace) {
  const piece = await withFile(filePath(folder, place.file), async (handle) => {
    const { size } = await handle.stat();
    // Behind the end is what a write that failed half-way left: what was read of it is gone.
    const offset = Math.min(place.offset, size);
    // The byte before tells whether the place is between two lines.
    const from = Math.max(0, offset - 1);
    return { from, offset, size, bytes: await readPiece(handle, from, Math.min(PIECE_BYTES, size - from)) };
  });
  if (piece === null) return null;
  const raw = linesFrom(piece.bytes, { file: place.file, offset: piece.from }, piece.offset > 0);
  // No line has that many bytes: what stands there was not written by us.
  const beyond = raw.length === 0 && piece.bytes.length === PIECE_BYTES ? piece.from + PIECE_BYTES : piece.offset;
  const next = raw.at(-1)?.next ?? { file: place.file, offset: Math.min(beyond, piece.size) };
  return { lines: raw.flatMap((line) => storedLine(line) ?? []), next };
}

/** The lines that begin in a piece: what stands before its first line end began earlier, unless the file begins there. */
function linesFrom(piece: Buffer, start: LogPlace, isCut = start.offset > 0): readonly RawLine[] {
  const lines = rawLines(piece, start);
  return isCut ? lines.slice(1) : lines;
}

async function readPiece(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  if (length <= 0) return Buffer.alloc(0);
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}

async function withFile<T>(path: string, read: (handle: FileHandle) => Promise<T>): Promise<T | null> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    return await read(handle);
  } finally {
    await handle.close();
  }
}
