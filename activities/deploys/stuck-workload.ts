import { isStackFrame, namesError } from '../../domain/deploys/error-lines.ts';
import { createQuietCheck, QUIET_MS } from './quiet.ts';

/** What process managers print of a program that ended and that they start again: pm2, forever, supervisord, supervisor. */
const ENDED =
  /exited with code \[\d+\]|Forever detected script exited with code: \d|exited: \S{1,80} \(exit status \d{1,3}; not expected\)|^Program .{1,200} exited with code \d/;
/** And of one that they do not: pm2, supervisord, and nodemon and Node.js itself, which wait for a change of a file. */
const GIVEN_UP =
  /too many unstable restarts|too many start retries too quickly|app crashed - waiting for file changes|^Failed running '|Waiting for file changes before restarting/m;
const RESTARTS = 2;

/**
 * Tells of a container that runs and will not get ready, by what it prints while nothing listens in it: its process
 * manager holds a program that ended, or the program printed an error and then nothing.
 * @returns a function of the last lines, called again and again; it returns why, in words, or null
 */
export function createStuckCheck(now: () => number): (lines: readonly string[]) => string | null {
  const isQuiet = createQuietCheck(now);
  return (lines) => {
    const text = lines.join('\n');
    const quiet = isQuiet(text);
    if (endings(lines) >= RESTARTS || GIVEN_UP.test(text))
      return 'a process manager runs, and its program ended with an error';
    return quiet && lines.some((line) => namesError(line) || isStackFrame(line))
      ? `it printed an error, nothing for ${QUIET_MS / 1000} seconds since, and listens nowhere`
      : null;
  };
}

/** pm2 without a daemon prints each of its lines twice, in its log and in that of its programs. In its cluster mode, a crash has code 0. */
function endings(lines: readonly string[]): number {
  const ended = lines.filter((line) => ENDED.test(line));
  const logged = ended.filter((line) => line.includes('PM2 log: '));
  return logged.length > 0 ? logged.length : ended.length;
}
