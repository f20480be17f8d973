import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Runs in place of the command until it may start: waits for a line on descriptor 3, then becomes the command. When we
 * die before sending the line, it reads end of file and the command never starts.
 */
export const GATE_SCRIPT = 'read -r go <&3 || exit 125; exec "$@" 3<&-';

/** Ends in order on a line; at end of file (we are gone) it kills the process group it was given. */
const LEASH_SCRIPT = 'read -r done || kill -s KILL -- "-$1"';

export interface Leash {
  /** The group ended by itself: lets go without killing. */
  release(): void;
  /** Settles once the leash process is gone. */
  readonly ended: Promise<void>;
}

/**
 * Ties a process group to the life of this process: whatever ends us, `kill -9` included, the kernel closes our end of
 * the pipe, and the small shell at the other end kills the group. A process that left the group (`setsid`) is not
 * reached.
 *
 * The leash is a process of its own, not a parent or a child of the command, so that exit code, signals, standard input
 * and the command's own children stay as they are.
 */
export function holdLeash(groupId: number): Leash {
  const leash: ChildProcess = spawn('/bin/sh', ['-c', LEASH_SCRIPT, 'leash', String(groupId)], {
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => {
    leash.once('close', () => resolve());
    leash.once('error', () => resolve());
  });
  // The pipe breaks only when somebody killed the leash; the group is then ours alone to end.
  leash.stdin?.on('error', () => leash.stdin?.destroy());
  return { release: () => leash.stdin?.end('done\n'), ended };
}
