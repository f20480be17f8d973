import { createQuietCheck, QUIET_MS } from './quiet.ts';

/** How programs print errors: a stack, or the name of one at the beginning of a line. */
const ERROR = /^\s+at .+:\d+|^(?:Uncaught )?\w*(?:Error|Exception)\b/m;

/** What process managers print of a program that ended: pm2, which starts it again, and nodemon, which waits. */
const ENDED_AGAIN = /exited with code \[[1-9]\d*\]|app crashed - waiting for file changes/g;
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
    const ended = text.match(ENDED_AGAIN)?.length ?? 0;
    if (ended >= RESTARTS || text.includes('app crashed'))
      return 'a process manager runs, and its program ended with an error';
    return quiet && ERROR.test(text)
      ? `it printed an error, nothing for ${QUIET_MS / 1000} seconds since, and listens nowhere`
      : null;
  };
}
