import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { projectRoot } from './project.ts';
import { runtimeVariables, SERVICE_FLAGS } from './runtime-variables.ts';
import { createReporter } from './terminal.ts';
import { startTestStack } from './test-stack.ts';

export interface OnStack {
  /** What the person ran, without its engine's consent: `npm run bench -- footprint`. */
  readonly command: string;
  /** Settings of the stack, over those of tests. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Runs a file of ours in a process of its own, set as the platform's processes are. Resolves with its exit code. */
export async function runFile(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const child = spawn(process.execPath, [...SERVICE_FLAGS, path, ...args], {
    stdio: 'inherit',
    cwd: projectRoot,
    env: { ...process.env, ...runtimeVariables(process.env), ...env },
  });
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
}

/** Runs a file beside a stack of its own, which it finds by `FAIRLEAD_TEST_STACK`. Resolves with its exit code. */
export async function runOnStack(
  path: string,
  args: readonly string[],
  { command, variables }: OnStack,
): Promise<number> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());
  const { stack, end } = await startTestStack(process.env, createReporter(process.stderr), {
    engine: { may: 'start', command: `CI=true ${command}` },
    signal: interrupted.signal,
    ...(variables === undefined ? {} : { variables }),
  });
  try {
    return await runFile(path, args, { FAIRLEAD_TEST_STACK: stack.dataDir });
  } finally {
    await end(false);
  }
}
