import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { projectRoot } from './project.ts';
import { runtimeVariables, SERVICE_FLAGS } from './runtime-variables.ts';
import { createReporter } from './terminal.ts';
import { startTestStack } from './test-stack.ts';

export interface OnStack {
  /** What the person ran, without its engine's consent: `npm run bench -- footprint`. */
  readonly command: string;
  /** Settings of the stack, over those of tests. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly onLine?: RunOptions['onLine'];
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Takes each line that the file writes to its standard output, which is ours without it. */
  readonly onLine?: ((line: string) => void) | undefined;
}

/** Runs a file of ours in a process of its own, set as the platform's processes are. Resolves with its exit code. */
export async function runFile(
  path: string,
  args: readonly string[],
  { env, onLine }: RunOptions = {},
): Promise<number> {
  const child = spawn(process.execPath, [...SERVICE_FLAGS, path, ...args], {
    stdio: ['inherit', onLine === undefined ? 'inherit' : 'pipe', 'inherit'],
    cwd: projectRoot,
    env: { ...process.env, ...runtimeVariables(process.env), ...env },
  });
  if (onLine !== undefined && child.stdout !== null) createInterface(child.stdout).on('line', onLine);
  const [code] = await once(child, 'close');
  return typeof code === 'number' ? code : 1;
}

/** Runs a file beside a stack of its own, which it finds by `FAIRLEAD_TEST_STACK`. Resolves with its exit code. */
export async function runOnStack(
  path: string,
  args: readonly string[],
  { command, variables, onLine }: OnStack,
): Promise<number> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());
  const { stack, end } = await startTestStack(process.env, createReporter(process.stderr), {
    engine: { may: 'start', command: `CI=true ${command}` },
    signal: interrupted.signal,
    ...(variables === undefined ? {} : { variables }),
  });
  try {
    return await runFile(path, args, { env: { FAIRLEAD_TEST_STACK: stack.dataDir }, onLine });
  } finally {
    await end(false);
  }
}
