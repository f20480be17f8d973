import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { projectRoot } from './project.ts';
import { runtimeVariables, SERVICE_FLAGS } from './runtime-variables.ts';
import { createReporter, errorLine } from './terminal.ts';
import { forgetProduction, startTestStack, TEST_SETTINGS } from './test-stack.ts';

/** `npm run bench -- <name> [args]`: runs `test/bench/<name>.ts`, with a stack when the file exports `needsStack = true`. */

const folder = join(projectRoot, 'test', 'bench');

async function main(name: string | undefined, args: readonly string[]): Promise<number> {
  const path = join(folder, `${name}.ts`);
  if (!name || basename(name) !== name || !existsSync(path)) {
    const names = globSync('*.ts', { cwd: folder }).map((file) => basename(file, '.ts'));
    throw new Error(
      `${name ? `no bench "${name}"` : 'which bench'}: one of ${names.sort().join(', ') || '(none yet)'}`,
    );
  }
  if (!/export const needsStack = true/.test(readFileSync(path, 'utf8'))) return runBench(path, args, {});
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());
  const { stack, end } = await startTestStack(process.env, createReporter(process.stderr), {
    engine: { may: 'start', command: `CI=true npm run bench -- ${name}` },
    signal: interrupted.signal,
  });
  try {
    return await runBench(path, args, { FAIRLEAD_TEST_STACK: stack.dataDir });
  } finally {
    await end(false);
  }
}

async function runBench(path: string, args: readonly string[], env: Record<string, string>): Promise<number> {
  // What a bench runs in its own process, ours or a baseline, is set as the platform's processes are.
  const child = spawn(process.execPath, [...SERVICE_FLAGS, path, ...args], {
    stdio: 'inherit',
    cwd: projectRoot,
    env: { ...process.env, ...runtimeVariables(process.env), ...env },
  });
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
}

forgetProduction(process.env);
// For benches that start a stack of their own.
process.env.LOCAL_SOURCES_ROOT = TEST_SETTINGS.LOCAL_SOURCES_ROOT;
try {
  process.exitCode = await main(process.argv[2], process.argv.slice(3));
} catch (error) {
  process.stderr.write(`fairlead: ${errorLine(error)}\n`);
  process.exitCode = 1;
}
process.exit();
