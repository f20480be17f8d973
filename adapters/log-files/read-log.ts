import { outputTime } from '../../domain/logs/output-line.ts';
import type { ServiceLogReader } from '../../domain/logs/service-log.ts';
import { type RawLine, serviceLogFolder, storedLine } from './log-folder.ts';
import { placeBehind } from './place-behind.ts';
import { readAfter } from './read-after.ts';
import { readLast } from './read-last.ts';

/** A line may stand so much later in a log than others of its time: its follower had failed, and began again. */
const LATE_MS = 300_000;

/** Reads the files that `write-log.ts` writes, while it writes them. */
export function createLogReader(root: string): ServiceLogReader {
  return {
    async last(target, { count, matches, since, until }) {
      const folder = serviceLogFolder(root, target);
      const end = folder === null || until === undefined ? null : await placeBehind(folder, until, timeOf);
      const stop = since === undefined ? null : outputTime(new Date(Date.parse(since) - LATE_MS).toISOString());
      const isWanted = (at: string) => (since === undefined || at >= since) && (until === undefined || at < until);
      return await readLast(folder, {
        count,
        decode: storedLine,
        matches: ({ line }) => isWanted(line.at) && matches(line),
        ...(stop === null ? {} : { isBefore: ({ line }) => line.at < stop }),
        end,
      });
    },
    async after(target, place) {
      const folder = serviceLogFolder(root, target);
      return folder === null ? { lines: [], next: place, lost: false } : await readAfter(folder, place, storedLine);
    },
  };
}

function timeOf(raw: RawLine): string | null {
  return storedLine(raw)?.line.at ?? null;
}
