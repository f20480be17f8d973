import type { LogPlace } from '../../domain/logs/service-log.ts';
import { fileNumbers, type LogFolder } from './log-folder.ts';
import { type Decode, linesFrom, PIECE_BYTES } from './log-pieces.ts';
import { withLogFile } from './open-file.ts';

interface Read<S> {
  readonly lines: readonly S[];
  readonly next: LogPlace;
}

/** The next lines after a place; `lost` when lines after it are not kept any more: those that follow are the oldest that are. */
export async function readAfter<S>(
  folder: LogFolder,
  place: LogPlace,
  decode: Decode<S>,
): Promise<Read<S> & { readonly lost: boolean }> {
  let from = place;
  let lost = false;
  for (;;) {
    const read = from.file === 0 ? null : await readOn(folder, from, decode);
    if (read !== null && read.lines.length > 0) return { ...read, lost };
    const following = await followingFile(folder, from, read !== null);
    // At the end of the newest file, or of none.
    if (following === null) return { lines: [], next: read?.next ?? from, lost };
    // What was written to a file before the next one was begun may have come since it was read.
    const rest = read === null ? null : await readOn(folder, read.next, decode);
    if (rest !== null && rest.lines.length > 0) return { ...rest, lost };
    lost ||= from.file > 0 && (read === null || following > from.file + 1);
    from = { file: following, offset: 0 };
  }
}

/** The file in which a log goes on after another one; null when that was the newest. A place of no log begins the log anew. */
async function followingFile(folder: LogFolder, { file }: LogPlace, isThere: boolean): Promise<number | null> {
  const files = await fileNumbers(folder);
  return files.find((one) => one > file) ?? (isThere ? null : (files[0] ?? null));
}

/** The next lines in a file, past pieces that hold none of ours; null when there is no such file. */
async function readOn<S>(folder: LogFolder, place: LogPlace, decode: Decode<S>): Promise<Read<S> | null> {
  for (let from = place; ; ) {
    const piece = await readPieceAt(folder, from, decode);
    if (piece === null || piece.lines.length > 0 || piece.next.offset <= from.offset) return piece;
    from = piece.next;
  }
}

/** The lines of at most {@link PIECE_BYTES} from a place on, and where to go on; null when there is no such file. */
async function readPieceAt<S>(folder: LogFolder, place: LogPlace, decode: Decode<S>): Promise<Read<S> | null> {
  const piece = await withLogFile(folder, place.file, async (file) => {
    const size = file.bytes;
    // Behind the end is what a write that failed half-way left: what was read of it is gone.
    const offset = Math.min(place.offset, size);
    // The byte before tells whether the place is between two lines.
    const from = Math.max(0, offset - 1);
    return { from, offset, size, bytes: await file.read(from, Math.min(PIECE_BYTES, size - from)) };
  });
  if (piece === null) return null;
  const raw = linesFrom(piece.bytes, { file: place.file, offset: piece.from }, piece.offset > 0);
  // No line has that many bytes: what stands there was not written by us.
  const beyond = raw.length === 0 && piece.bytes.length === PIECE_BYTES ? piece.from + PIECE_BYTES : piece.offset;
  const next = raw.at(-1)?.next ?? { file: place.file, offset: Math.min(beyond, piece.size) };
  return { lines: raw.flatMap((line) => decode(line) ?? []), next };
}
