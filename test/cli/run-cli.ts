import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
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
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, FAIRLEAD_URL: api.url, FAIRLEAD_KEY: KEY },
      ...options.env,
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

export function runCli(api: Pick<TestApi, 'url'>, args: readonly string[], options?: RunOptions): Promise<CliResult> {
  return startCli(api, args, options).done;
}
