import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import type { ProcessEnv } from './base-env.ts';
import { createOutputCapture } from './output-capture.ts';
import { signalIfOurs } from './signal-process.ts';
import { createWatchdog, GATE_SCRIPT } from './watchdog.ts';
import { writePieces } from './write-pieces.ts';

export type OutputStream = 'stdout' | 'stderr';

export interface RunProcessOptions {
  readonly cwd?: string;
  /** The child's whole environment; see `baseEnv`. Nothing is inherited. */
  readonly env: ProcessEnv;
  /** Aborting ends the whole process group. */
  readonly signal: AbortSignal;
  /** Receives each line of output as it comes, at most 16 Ki characters at a time. */
  readonly onLine?: (line: string, stream: OutputStream) => void;
  /** Standard input; none is the empty input. A piece is used up once the next one is asked for. */
  readonly input?: AsyncIterable<Uint8Array> | string;
  /**
   * Reads standard output as it comes, at its own pace; then none of it is returned. `ended` says how the command ended,
   * once all of its output was read: whoever passes the output on can refuse what a failed command wrote. An error of it
   * ends the command.
   */
  readonly output?: (stdout: AsyncIterable<Uint8Array>, ended: Promise<Omit<ProcessResult, 'stdout'>>) => Promise<void>;
  /** How much of each stream is returned: the first bytes of stdout, the last ones of stderr. Default 1 MiB. */
  readonly maxOutputBytes?: number;
  /** No file that the command writes grows beyond this: the write fails as "File too large". */
  readonly maxFileBytes?: number;
  /** Time between SIGTERM and SIGKILL after an abort. Default 2000. */
  readonly killAfterMs?: number;
}

export interface ProcessResult {
  /** Null when a signal ended the process. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
const DEFAULT_KILL_AFTER_MS = 2_000;
/** How long a process that left the group may hold our pipes open after the command ended. */
const PIPE_GRACE_MS = 1_000;

/** For all commands of this process. */
const watchdog = createWatchdog();

/**
 * Runs a command in a process group of its own and waits for its end. A non-zero exit is a result, not an error.
 *
 * On abort the group gets SIGTERM, after `killAfterMs` SIGKILL, and the promise rejects with the signal's reason once
 * the command really ended. Whatever the command leaves running in its group is killed when it exits. When this very
 * process dies, by `kill -9` too, the group dies with it (see `createWatchdog`).
 *
 * @throws the abort reason; an error of `input`, `output` or `onLine`; an `Error` with code ENOENT when the command or `cwd` is missing.
 */
export async function runProcess(
  command: string,
  args: readonly string[],
  options: RunProcessOptions,
): Promise<ProcessResult> {
  options.signal.throwIfAborted();
  if (options.cwd !== undefined) requireDirectory(options.cwd);
  const executable = findExecutable(command, options.env.PATH ?? '', options.cwd);
  const child = spawn('/bin/sh', ['-c', limitFiles(options.maxFileBytes) + GATE_SCRIPT, command, executable, ...args], {
    cwd: options.cwd,
    env: { ...options.env },
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  if (child.pid === undefined) return await spawnFailed(child);
  return await supervise(child, child.pid, options);
}

/** Blocks of `ulimit` have 512 bytes. The signal is ignored, so that the command can say what happened. */
function limitFiles(maxBytes: number | undefined): string {
  return maxBytes === undefined ? '' : `trap '' XFSZ; ulimit -f ${Math.ceil(maxBytes / 512)}; `;
}

async function supervise(child: ChildProcess, pid: number, options: RunProcessOptions): Promise<ProcessResult> {
  const stopped: { reason: unknown }[] = [];
  let killTimer: NodeJS.Timeout | undefined;
  const stop = (reason: unknown): void => {
    if (stopped.push({ reason }) > 1) return;
    signalIfOurs(-pid, 'SIGTERM');
    killTimer = setTimeout(() => signalIfOurs(-pid, 'SIGKILL'), options.killAfterMs ?? DEFAULT_KILL_AFTER_MS);
  };
  const onAbort = (): void => stop(options.signal.reason);
  options.signal.addEventListener('abort', onAbort);
  const captured = captureOutput(child, options, stop);
  const closed = waitForEnd(child, pid, options.output !== undefined);
  const read = readOutput(child, options, closed, captured, stop);
  const opened = watchdog.watch(pid).then(() => {
    feedInput(child, options.input, stop);
    openGate(child);
  });
  try {
    const [{ exitCode, signal }] = await Promise.all([closed, opened, read]);
    const output = captured();
    if (stopped[0] !== undefined) throw stopped[0].reason;
    return { exitCode, signal, ...output };
  } finally {
    clearTimeout(killTimer);
    options.signal.removeEventListener('abort', onAbort);
    watchdog.forget(pid);
  }
}

interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Passes standard output on to whoever reads it. Resolves when that is done, however it went. */
async function readOutput(
  { stdout }: ChildProcess,
  { output }: RunProcessOptions,
  closed: Promise<ProcessEnd>,
  captured: () => { readonly stderr: string },
  stop: (reason: unknown) => void,
): Promise<void> {
  if (output === undefined || stdout === null) return;
  const ended = closed.then((end) => ({ ...end, stderr: captured().stderr }));
  // Whoever does not ask how the command ended is told by the result.
  ended.catch(() => undefined);
  // Read from now on: Node throws away what a command printed that ended before anybody read it.
  const printed = stdout.pipe(new PassThrough());
  stdout.once('error', (error) => printed.destroy(error));
  try {
    await output(printed, ended);
  } catch (error) {
    stop(error);
  } finally {
    // What nobody reads must not hold the command.
    printed.destroy();
    stdout.destroy();
  }
}

function openGate(child: ChildProcess): void {
  const gate = child.stdio[3];
  if (!(gate instanceof Writable)) throw new Error('descriptor 3 of the child is not a pipe');
  gate.on('error', () => gate.destroy());
  gate.end('go\n');
}

function captureOutput(
  child: ChildProcess,
  options: RunProcessOptions,
  stop: (reason: unknown) => void,
): () => { stdout: string; stderr: string } {
  const { onLine, maxOutputBytes = DEFAULT_OUTPUT_BYTES } = options;
  const open = (name: OutputStream) => {
    const guarded = onLine && ((line: string): void => attempt(() => onLine(line, name), stop));
    const capture = createOutputCapture(maxOutputBytes, name === 'stdout' ? 'first' : 'last', guarded);
    if (name === 'stderr' || options.output === undefined) {
      child[name]?.on('data', (chunk: Buffer) => capture.write(chunk));
      child[name]?.on('error', stop);
    }
    return capture;
  };
  const stdout = open('stdout');
  const stderr = open('stderr');
  return () => ({ stdout: stdout.end(), stderr: stderr.end() });
}

function attempt(action: () => void, onError: (error: unknown) => void): void {
  try {
    action();
  } catch (error) {
    onError(error);
  }
}

/** Resolves when the command ended and its output is read. Kills what it left in its group. @param isRead by `output` */
function waitForEnd(child: ChildProcess, pid: number, isRead: boolean): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    let pipeTimer: NodeJS.Timeout | undefined;
    child.once('error', reject);
    child.once('exit', () => {
      signalIfOurs(-pid, 'SIGKILL');
      pipeTimer = setTimeout(() => {
        // Whoever reads it may be slower: what is left in the pipe belongs to the output.
        if (!isRead) child.stdout?.destroy();
        child.stderr?.destroy();
      }, PIPE_GRACE_MS);
    });
    child.once('close', (exitCode, signal) => {
      clearTimeout(pipeTimer);
      resolve({ exitCode, signal });
    });
  });
}

function feedInput(child: ChildProcess, input: RunProcessOptions['input'], stop: (reason: unknown) => void): void {
  const { stdin } = child;
  if (input === undefined || stdin === null) return;
  // Once the command is gone nothing reads its input any more; a source that never ends must not hold us.
  child.once('exit', () => stdin.destroy());
  writePieces(typeof input === 'string' ? onePiece(input) : input, stdin).catch((error: NodeJS.ErrnoException) => {
    // A command may end, or close its input, before it has read all of it: that is its own affair.
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') stop(error);
  });
}

async function* onePiece(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function spawnFailed(child: ChildProcess): Promise<never> {
  return new Promise((_, reject) => child.once('error', reject));
}

function requireDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  throw missing(`working directory ${path} does not exist`, path);
}

function findExecutable(command: string, path: string, cwd: string | undefined): string {
  const places = command.includes('/')
    ? [cwd === undefined || command.startsWith('/') ? command : join(cwd, command)]
    : path.split(delimiter).flatMap((folder) => (folder === '' ? [] : [join(folder, command)]));
  const found = places.find(isExecutable);
  if (found !== undefined) return found;
  throw missing(`command ${command} was not found or is not executable; install it or correct PATH`, command);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function missing(message: string, path: string): Error {
  return Object.assign(new Error(message), { code: 'ENOENT', path });
}
