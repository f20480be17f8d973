import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startStack } from '../../infra/dev/stack.ts';
import { createReporter } from '../../infra/dev/terminal.ts';
import { completed, createService, repositoryOf, trigger, uniqueName } from '../e2e/harness.ts';

/**
 * The time that a second start on the same data folder takes until everything is ready, and the resident memory of API
 * and worker together, idle after one deploy, in MiB. Starts its own stack, because it starts it twice.
 */
export const needsStack = false;

/** Long enough for the deploy's clean-up to be over and for a garbage collection. */
const SETTLE_MS = 15_000;

const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-footprint-'));
process.env.FAIRLEAD_TEST_STACK = dataDir;
const start = () =>
  startStack({ dataDir, ports: 'free', env: process.env, report: createReporter(process.stderr), disposable: true });
try {
  const first = await start();
  await first.stop();
  const startedAt = performance.now();
  const second = await start();
  const readyMs = performance.now() - startedAt;
  await deployOnce();
  await delay(SETTLE_MS);
  const memory = await residentMemory(second.state());
  await second.stop();
  for (const [name, mib] of Object.entries(memory)) console.log(`${name}: ${mib.toFixed(0)} MiB`);
  console.log(`second start to ready: ${(readyMs / 1000).toFixed(1)} s`);
  const together = (memory.api ?? Number.NaN) + (memory.worker ?? Number.NaN);
  console.log(`footprint: ${together.toFixed(0)} MiB`);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();

async function deployOnce(): Promise<void> {
  const service = uniqueName('footprint');
  await using repository = await repositoryOf('express-npm', service);
  await createService(service, { gitUrl: repository.path });
  const { buildId } = await trigger(service);
  await completed(buildId);
}

async function residentMemory(
  state: Readonly<Record<string, { readonly pid: number | null }>>,
): Promise<Record<string, number>> {
  const running = Object.entries(state).flatMap(([name, { pid }]) => (pid === null ? [] : [{ name, pid }]));
  const sizes = await Promise.all(running.map(async ({ name, pid }) => [name, await residentMib(pid)] as const));
  return Object.fromEntries(sizes);
}

async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null);
  if (status !== null) return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
}
