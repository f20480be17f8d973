import type { LogPlace } from '../../domain/logs/service-log.ts';
import { fileNumbers, type LogFolder, type RawLine } from './log-folder.ts';
import { DISORDER_BYTES, linesFrom, START } from './log-pieces.ts';
import { withLogFile } from './open-file.ts';

type TimeOf = (raw: RawLine) => string | null;

/**
 * A place behind all lines before a time, by halving: 14 files and 50 MB of each are about 20 small reads. Lines stand in
 * about the order of their times; whoever looks before the place compares the times themselves.
 * @param timeOf of a line; null for one that has none. Times compare as texts.
 * @returns null for a log without files
 */
export async function placeBehind(folder: LogFolder, time: string, timeOf: TimeOf): Promise<LogPlace | null> {
  const files = await fileNumbers(folder);
  let [first, last] = [0, files.length];
  while (first < last) {
    const middle = Math.floor((first + last) / 2);
    const begins = await firstTime(folder, files[middle] ?? 0, timeOf);
    if (begins !== null && begins >= time) last = middle;
    else first = middle + 1;
  }
  const file = files[first - 1];
  if (file === undefined) return files[0] === undefined ? null : { file: files[0], offset: DISORDER_BYTES };
  const offset = await withLogFile(folder, file, async (opened) => {
    let [low, high] = [0, opened.bytes];
    while (high - low > DISORDER_BYTES) {
      const middle = Math.floor((low + high) / 2);
      const at = timeIn(await opened.read(middle, DISORDER_BYTES), true, timeOf);
      if (at !== null && at >= time) high = middle;
      else low = middle;
    }
    return high;
  });
  return { file, offset: (offset ?? 0) + DISORDER_BYTES };
}

async function firstTime(folder: LogFolder, number: number, timeOf: TimeOf): Promise<string | null> {
  return await withLogFile(folder, number, async (file) => timeIn(await file.read(0, DISORDER_BYTES), false, timeOf));
}

function timeIn(piece: Buffer, isCut: boolean, timeOf: TimeOf): string | null {
  for (const raw of linesFrom(piece, START, isCut)) {
    const time = timeOf(raw);
    if (time !== null) return time;
  }
  return null;
}
