import { type LogFolder, type RawLine, rawLines, storedLine, storedPositions } from './log-folder.ts';
import { type LogFile, withLogFile } from './open-file.ts';
import { notedPositions, type Positions } from './stored-lines.ts';

/** The positions that a log tells, from its end backwards as far as they were noted last. @param files numbers, ascending */
export async function findPositions(folder: LogFolder, files: readonly number[]): Promise<Positions> {
  let following: readonly RawLine[] = [];
  for (const number of files.toReversed()) {
    const read = await withLogFile(folder, number, (file) =>
      readBack(file, (all) => all.some((line) => storedPositions(line) !== null)),
    );
    if (read === null) continue;
    following = [...read.lines, ...following];
    if (read.found) break;
  }
  return following.reduce<Positions>((positions, raw) => {
    const line = storedLine(raw);
    return line === null ? (storedPositions(raw) ?? positions) : notedPositions(positions, [line.line]);
  }, {});
}

const FIRST_PIECE_BYTES = 512 * 1024;

/** The whole lines at the end of a file: as many as are enough, or all. */
export async function readBack(file: LogFile, isEnough: (lines: readonly RawLine[]) => boolean) {
  for (let length = FIRST_PIECE_BYTES; ; length *= 4) {
    const from = Math.max(0, file.bytes - length);
    const all = rawLines(await file.read(from, file.bytes - from), { file: 0, offset: from });
    // The first one began earlier.
    const lines = from === 0 ? all : all.slice(1);
    const found = lines.length > 0 && isEnough(lines);
    if (found || from === 0) return { lines, found };
  }
}
