import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

/**
 * Runs in place of the command until it may start: waits for a line on descriptor 3, then becomes the command. When we
 * die before sending the line, it reads end of file and the command never starts.
 */
export const GATE_SCRIPT = 'read -r go <&3 || exit 125; exec "$@" 3<&-';

/** Keeps a list of process groups (`+ 12`, `- 12`); at end of file (we are gone) it kills all that are left in it. */
const WATCHDOG_SCRIPT = `groups=' '
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done`;

export interface Watchdog {
  /** Kills a process group when this process dies. Resolves once that is certain. */
  watch(groupId: number): Promise<void>;
  /** The group ended by itself. */
  forget(groupId: number): void;
}

/**
 * Kills process groups when this process dies. However it dies, `kill -9` included, the kernel closes its end of the pipe,
 * and the small shell at the other end kills the groups. A process that left its group (`setsid`) is not reached.
 *
 * One shell watches for all groups, because a large process starts another one slowly. It is a process of its own, not a
 * parent or a child of a command, so that exit code, signals, standard input and the command's own children stay as they
 * are. It starts with the first group, does not keep this process alive, and is replaced when it was killed.
 */
export function createWatchdog(): Watchdog {
  const watched = new Set<number>();
  let shell: ChildProcess | null = null;

  const start = (): ChildProcess => {
    const started = spawn('/bin/sh', ['-c', WATCHDOG_SCRIPT, 'watchdog'], {
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    started.unref();
    if (started.stdin instanceof Socket) started.stdin.unref();
    const ended = (): void => {
      if (shell !== started) return;
      shell = null;
      for (const groupId of watched) void send('+', groupId);
    };
    started.once('exit', ended);
    started.once('error', ended);
    started.stdin?.on('error', () => started.stdin?.destroy());
    return started;
  };

  const send = (change: '+' | '-', groupId: number): Promise<void> => {
    shell ??= start();
    const { stdin } = shell;
    const { promise, resolve } = Promise.withResolvers<void>();
    // What cannot be written was for a shell that is gone; its successor is told of every group anew.
    if (stdin === null || stdin.destroyed) resolve();
    else stdin.write(`${change} ${groupId}\n`, () => resolve());
    return promise;
  };

  return {
    watch(groupId) {
      watched.add(groupId);
      return send('+', groupId);
    },
    forget(groupId) {
      if (watched.delete(groupId)) void send('-', groupId);
    },
  };
}
