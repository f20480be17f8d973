import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { OutputStream } from '../../domain/logs/output-line.ts';
import { projectRoot } from './project.ts';
import type { Readiness } from './readiness.ts';

/** A program the supervisor keeps running. */
export interface ChildSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** `own`: it gets `env` alone. By default also all that this process has. */
  readonly environment?: 'inherited' | 'own';
  readonly cwd?: string;
  /** What ends it when the supervisor dies. `ipc`: a process of ours exits when its channel closes. `watchdog`: any other program. */
  readonly exitsBy: 'ipc' | 'watchdog';
  /** The signal that asks it to end; default: SIGTERM. */
  readonly endsBy?: 'SIGTERM' | 'SIGINT';
  readonly ready: Readiness;
  readonly readyTimeoutMs: number;
  /** How long it may take to end after that signal. */
  readonly graceMs: number;
  /** Runs before every start, restarts included. */
  readonly beforeStart?: () => Promise<void>;
  /** Runs after every readiness, restarts included. */
  readonly afterReady?: () => Promise<void>;
}

export interface RunningChild {
  /** The process group's leader: the program itself, or its watchdog. */
  readonly leader: ChildProcess;
  /** The program's own process id. */
  readonly pid: number;
  readonly endsBy: NodeJS.Signals;
  readonly exited: Promise<string>;
}

/**
 * Runs its arguments but the first as a child, writes the child's pid to descriptor 4, and ends the child, by the signal
 * that is the first argument, when it gets a signal itself or descriptor 3 closes, which happens however the supervisor dies.
 */
const WATCHDOG = `
end=$1; shift
"$@" 3<&- 4>&- & child=$!
echo "$child" >&4; exec 4>&-
trap 'kill -"$end" "$child" 2>/dev/null' TERM INT HUP
( trap '' TERM INT HUP; cat <&3 >/dev/null; kill -"$end" "$child" 2>/dev/null
  n=0; while [ $n -lt 50 ] && kill -0 "$child" 2>/dev/null; do sleep 0.1; n=$((n+1)); done
  kill -KILL "$child" 2>/dev/null ) & watcher=$!
exec 3<&-
while :; do wait "$child"; code=$?; kill -0 "$child" 2>/dev/null || break; done
kill -KILL "$watcher" 2>/dev/null
exit "$code"
`;

/** Starts a program in a session of its own, so that a terminal's Ctrl-C reaches the supervisor alone. */
export async function spawnChild(
  spec: ChildSpec,
  log: { write(stream: OutputStream, chunk: Buffer): void; end(): void },
): Promise<RunningChild> {
  const hasWatchdog = spec.exitsBy === 'watchdog';
  const endsBy = spec.endsBy ?? 'SIGTERM';
  const watched = ['-c', WATCHDOG, spec.name, endsBy.slice('SIG'.length), spec.command, ...spec.args];
  const args = hasWatchdog ? watched : [...spec.args];
  const leader = spawn(hasWatchdog ? '/bin/sh' : spec.command, args, {
    cwd: spec.cwd ?? projectRoot,
    env: spec.environment === 'own' ? { ...spec.env } : { ...process.env, ...spec.env },
    detached: true,
    stdio: hasWatchdog ? ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  leader.stdout?.on('data', (chunk: Buffer) => log.write('out', chunk));
  leader.stderr?.on('data', (chunk: Buffer) => log.write('error', chunk));
  leader.once('close', () => log.end());
  const exited = new Promise<string>((resolve) => {
    leader.once('error', (error) => resolve(error.message));
    leader.once('exit', (code, signal) => resolve(signal ? `ended by ${signal}` : `exit code ${code}`));
  });
  const pid = hasWatchdog ? await readPid(leader, exited) : leader.pid;
  if (pid === undefined) throw new Error(`${spec.name} could not be started: ${await exited}`);
  return { leader, pid, endsBy, exited };
}

async function readPid(leader: ChildProcess, exited: Promise<string>): Promise<number | undefined> {
  const pipe = leader.stdio[4] as Readable | null | undefined;
  if (!pipe) return undefined;
  const text = new Promise<string>((resolve) => pipe.once('data', (chunk: Buffer) => resolve(chunk.toString())));
  const first = await Promise.race([text, exited.then(() => '')]);
  return Number.parseInt(first, 10) || undefined;
}

/** Ends a program and whatever it started: its signal, then SIGKILL to its group once the grace is over. */
export async function endChild(running: RunningChild, graceMs: number): Promise<void> {
  if (graceMs > 0 && running.leader.exitCode === null && running.leader.signalCode === null) {
    signalProcess(running.pid, running.endsBy);
    const over = new AbortController();
    await Promise.race([running.exited, delay(graceMs, undefined, { signal: over.signal }).catch(() => undefined)]);
    over.abort();
  }
  killGroup(running);
  await running.exited;
}

/** Ends a program and whatever it started at once. */
export function killGroup(running: RunningChild): void {
  if (running.leader.pid !== undefined) signalProcess(-running.leader.pid, 'SIGKILL');
}

/** Sends a signal to a process, or to its whole group when negative; one that is gone is no error. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
