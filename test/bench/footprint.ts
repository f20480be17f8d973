import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Stack, startStack } from '../../infra/dev/stack.ts';
import { createReporter } from '../../infra/dev/terminal.ts';
import { completed, createService, repositoryOf, trigger, uniqueName } from '../e2e/harness.ts';
import { stackDatabaseUri } from '../support/stack-database.ts';
import { databaseServerAt } from './parts/database-server.ts';
import { median } from './parts/median.ts';

/**
 * The resident memory of API and worker together, idle after one deploy, in MB (a million bytes): the median of three
 * starts on one data folder that has been started before. Beside it the time that such a start takes until everything is
 * ready. Starts its own stacks, because it starts them again.
 */
export const needsStack = false;

const STARTS = 3;
/** Long enough for the deploy's clean-up to be over and for a garbage collection. */
const IDLE_MS = 15_000;

const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-footprint-'));
process.env.FAIRLEAD_TEST_STACK = dataDir;
const start = () =>
  startStack({ dataDir, ports: 'free', env: process.env, report: createReporter(process.stderr), disposable: true });
const together: number[] = [];
const readyMs: number[] = [];
let database = '';
try {
  const first = await start();
  database = await databaseServerAt(await stackDatabaseUri(dataDir, first.addresses.mongo));
  await first.stop();
  for (let round = 0; round < STARTS; round += 1) {
    const startedAt = performance.now();
    const stack = await start();
    readyMs.push(performance.now() - startedAt);
    together.push(await measured(stack));
  }
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
console.log(`database: ${database}`);
console.log(`start to ready: ${list(readyMs.map((ms) => ms / 1000))} s`);
console.log(`api and worker: ${list(together)} MB`);
console.log(`footprint: ${median(together).toFixed(0)} MB`);
process.exit();

/** MB of API and worker after a deploy; the stack is stopped then. */
async function measured(stack: Stack): Promise<number> {
  try {
    await deployOnce();
    await delay(IDLE_MS);
    const memory = await residentMemory(stack.state());
    console.log(
      Object.entries(memory)
        .map(([name, mb]) => `${name} ${mb.toFixed(0)} MB`)
        .join(', '),
    );
    return (memory.api ?? Number.NaN) + (memory.worker ?? Number.NaN);
  } finally {
    await stack.stop();
  }
}

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
  const sizes = await Promise.all(running.map(async ({ name, pid }) => [name, await residentMb(pid)] as const));
  return Object.fromEntries(sizes);
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null);
  // "kB" in both are 1,024 bytes.
  const kib =
    status === null
      ? Number((await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])).stdout)
      : Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]);
  return (kib * 1_024) / 1e6;
}

function list(values: readonly number[]): string {
  return values.map((value) => value.toFixed(1)).join(' ');
}
