import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Runs in place of the command until it may start: waits for a line on descriptor 3, then becomes the command. When we
 * die before sending the line, it reads end of file and the command never starts.
 */
export const GATE_SCRIPT = 'read -r go <&3 || exit 125; exec "$@" 3<&-';

/** Ends in order on a line; at end of file (we are gone) it kills the process group it was given. */
const WATCHDOG_SCRIPT = 'read -r done || kill -s KILL -- "-$1"';

export interface Watchdog {
  /** The group ended by itself: the watchdog ends without killing. */
  stop(): void;
  /** Resolves when the watchdog process is gone. */
  readonly ended: Promise<void>;
}

/**
 * Kills a process group when this process dies. However it dies, `kill -9` included, the kernel closes its end of the pipe,
 * and the small shell at the other end kills the group. A process that left the group (`setsid`) is not reached.
 *
 * The watchdog is a process of its own, not a parent or a child of the command, so that exit code, signals, standard input
 * and the command's own children stay as they are.
 */
export function startWatchdog(groupId: number): Watchdog {
  const watchdog: ChildProcess = spawn('/bin/sh', ['-c', WATCHDOG_SCRIPT, 'watchdog', String(groupId)], {
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => {
    watchdog.once('close', () => resolve());
    watchdog.once('error', () => resolve());
  });
  // The pipe breaks only when somebody killed the watchdog; the group is then ours alone to end.
  watchdog.stdin?.on('error', () => watchdog.stdin?.destroy());
  return { stop: () => watchdog.stdin?.end('done\n'), ended };
}
