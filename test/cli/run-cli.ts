import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCli as runHere } from '../../cli/program.ts';
import { runtimeVariables } from '../../infra/dev/runtime-variables.ts';
import { KEY, type TestApi } from './test-api.ts';

export const ENTRY = fileURLToPath(new URL('../../cli/fairlead.mjs', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCli {
  readonly child: ChildProcess;
  readonly done: Promise<CliResult>;
  /** What was printed so far on both streams. */
  text(): string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the command line as a process of its own, without a terminal. */
export function startCli(api: Pick<TestApi, 'url'>, args: readonly string[], options: RunOptions = {}): RunningCli {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    cwd: options.cwd,
    env: {
      ...runtimeVariables(process.env),
      ...variablesOf(api, options),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(options.stdin ?? '');
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const done = new Promise<CliResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, done, text: () => stdout + stderr };
}

/**
 * Runs a command line to its end in this process, in a hundredth of the time that a process takes. A test of signals, of
 * a terminal, or of the process itself takes {@link startCli}.
 */
export async function runCli(
  api: Pick<TestApi, 'url'>,
  args: readonly string[],
  options: RunOptions = {},
): Promise<CliResult> {
  const stdout = collected();
  const stderr = collected();
  const code = await runHere(args, {
    stdin: Readable.from([Buffer.from(options.stdin ?? '')]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: variablesOf(api, options),
    cwd: options.cwd ?? process.cwd(),
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function variablesOf({ url }: Pick<TestApi, 'url'>, { env }: RunOptions) {
  return { PATH: process.env.PATH, HOME: process.env.HOME, FAIRLEAD_URL: url, FAIRLEAD_KEY: KEY, ...env };
}

function collected(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
