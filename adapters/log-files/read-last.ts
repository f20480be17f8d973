import type { LogPlace } from '../../domain/logs/service-log.ts';
import { fileNumbers, type LogFolder, type RawLine, rawLines } from './log-folder.ts';
import { type Decode, DISORDER_BYTES, linesFrom, PIECE_BYTES, type Placed, START } from './log-pieces.ts';
import { withLogFile } from './open-file.ts';

/** Bytes that are looked at for each line that is asked for (spec 2, "Limits"). */
const BYTES_A_LINE = 2 * 1024;

export interface LinesWanted<S> {
  /** At most so many lines. */
  readonly count: number;
  readonly decode: Decode<S>;
  readonly matches: (line: S) => boolean;
  /** True for a line before which none is wanted. */
  readonly isBefore?: (line: S) => boolean;
  /** Lines from there on are not looked at. */
  readonly end?: LogPlace | null;
}

/** The last lines that match, oldest first; `truncated` when older lines were not looked at or not taken. */
export async function readLast<S extends Placed>(folder: LogFolder | null, wanted: LinesWanted<S>) {
  const found: S[] = [];
  let next = START;
  let isComplete = true;
  for await (const { lines, end, reachesBack } of piecesBackwards(folder, wanted)) {
    if (next === START) next = end;
    const taken = takeMatching(lines, wanted, found);
    isComplete = taken === 'before' || (taken === 'all' && reachesBack);
    if (taken === 'before' || !isComplete) break;
  }
  return { lines: found.reverse(), next, truncated: !isComplete };
}

interface Piece {
  readonly lines: readonly RawLine[];
  /** Behind the last line. */
  readonly end: LogPlace;
  /** False when there is more before it that is not looked at. */
  readonly reachesBack: boolean;
}

/** The ends of the files, from the newest back, as far as the lines that are wanted allow. */
async function* piecesBackwards<S>(
  folder: LogFolder | null,
  { count, end = null }: LinesWanted<S>,
): AsyncGenerator<Piece> {
  const files = folder === null ? [] : await fileNumbers(folder);
  // Behind the wanted ones stand some that are too late.
  let budget = count * BYTES_A_LINE + (end === null ? 0 : 2 * DISORDER_BYTES);
  for (const file of files.toReversed()) {
    if (folder === null || (end !== null && file > end.file)) continue;
    if (budget <= 0) {
      yield { lines: [], end: { file, offset: 0 }, reachesBack: false };
      return;
    }
    const until = file === end?.file ? end.offset : Number.POSITIVE_INFINITY;
    const piece = await readEnd(folder, file, { bytes: budget, until });
    if (piece === null) continue;
    const lines = linesFrom(piece.bytes, { file, offset: piece.from });
    yield { lines, end: lines.at(-1)?.next ?? { file, offset: piece.from }, reachesBack: piece.from === 0 };
    budget -= piece.bytes.length;
  }
}

/** Adds the last lines that match to `found`, the newest first. */
function takeMatching<S>(
  lines: readonly RawLine[],
  { count, decode, matches, isBefore }: LinesWanted<S>,
  found: S[],
): 'all' | 'enough' | 'before' {
  for (const raw of lines.toReversed()) {
    const line = decode(raw);
    if (line === null) continue;
    if (isBefore?.(line)) return 'before';
    if (!matches(line)) continue;
    if (found.length === count) return 'enough';
    found.push(line);
  }
  return 'all';
}

/** So many bytes at the end of a file; more when they hold no whole line, so that the last one can always be read. */
async function readEnd(
  folder: LogFolder,
  number: number,
  { bytes, until }: { readonly bytes: number; readonly until: number },
): Promise<{ bytes: Buffer; from: number } | null> {
  return withLogFile(folder, number, async (file) => {
    const size = Math.min(file.bytes, until);
    const end = async (length: number) => {
      const from = Math.max(0, size - length);
      return { bytes: await file.read(from, size - from), from };
    };
    const piece = await end(bytes);
    const hasWhole = piece.from === 0 || rawLines(piece.bytes, START).length > 1;
    return hasWhole || bytes >= PIECE_BYTES ? piece : await end(PIECE_BYTES);
  });
}
