import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { followWorkload } from '../../activities/logs/follow-workload.ts';
import { createWorkloadRuntime } from '../../adapters/docker/workload-runtime.ts';
import { createServiceLogs } from '../../adapters/log-files/service-logs.ts';
import type { Workload } from '../../domain/deploys/workload-runtime.ts';
import { createRedactor } from '../../domain/logs/redact.ts';
import { createTestStack, docker } from '../adapters/docker/engine-fixture.ts';
import { recordingContext, workloadSpec } from '../ports/workload-runtime.ts';
import { waitUntil } from '../support/wait-until.ts';
import { median } from './parts/median.ts';

/**
 * CPU time of this process for a line that a workload printed: collected (read from the engine, put together, redacted by
 * 20 secrets, limited, written with its positions), over the engine's stream of the same lines copied to a file as it is.
 */
export const needsStack = false;

/** Within the 30 MiB that the engine keeps. */
const LINES = 60_000;
const ROUNDS = 5;
const WARM_UP = 3;
const PROGRAM = `i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "{\\"level\\":\\"info\\",\\"msg\\":\\"request $i was served\\",\\"ms\\":12,\\"path\\":\\"/orders/$i\\"}"; done; sleep 86400`;

const stack = await createTestStack();
const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-collect-'));
const runtime = createWorkloadRuntime({
  docker,
  stackId: stack.stackId,
  registry: stack.registry,
  now: () => new Date(),
});
let workload: Workload | null = null;
const figures = { collected: [] as number[], copied: [] as number[] };
try {
  const image = await stack.pushed('prints', {
    Dockerfile: `FROM alpine\nUSER 1001\nCMD ["sh", "-c", ${JSON.stringify(PROGRAM)}]\n`,
  });
  const printing = await runtime.start(workloadSpec(image, { buildId: 'bld_prints' }), recordingContext());
  workload = printing;
  const whenAll = { withinMs: 180_000, everyMs: 2_000 };
  await waitUntil('all lines printed', async () => (await linesKept(printing)) === LINES, whenAll);
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const [copied, collected] = [await cpu(() => copy(printing, round)), await cpu(() => collect(printing, round))];
    if (round < 0) continue;
    figures.copied.push(copied);
    figures.collected.push(collected);
  }
} finally {
  if (workload !== null) await runtime.remove(workload, 0);
  await stack.dispose();
  await rm(folder, { recursive: true, force: true });
}
const [collected, copied] = [median(figures.collected), median(figures.copied)];
console.log(`CPU a line: ${collected.toFixed(2)} µs collected, ${copied.toFixed(2)} µs copied`);
console.log(`log-collect: ${(collected / copied).toFixed(2)}`);
process.exit();

function engineStream({ id }: Workload, follow: boolean) {
  return docker.getContainer(id).logs({ stdout: true, stderr: true, follow: follow as true, timestamps: true });
}

async function linesKept(printing: Workload): Promise<number> {
  const frames: unknown = await engineStream(printing, false);
  return Buffer.isBuffer(frames) ? frames.toString('latin1').split('\n').length - 1 : 0;
}

/** Microseconds of CPU for each line. */
async function cpu(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / LINES;
}

/** The bare stream into a file, until the last line. */
async function copy(printing: Workload, round: number): Promise<void> {
  const stream = await engineStream(printing, true);
  let lines = 0;
  const counted = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) lines += 1;
      yield piece;
      if (lines >= LINES) return;
    }
  };
  const source = stream instanceof Readable ? stream : Readable.from(stream);
  await pipeline(source, counted, createWriteStream(join(folder, `copied-${round}`))).catch((error: unknown) => {
    // The engine would send for ever: the stream is ended behind the last line.
    if (lines < LINES) throw error;
  });
}

/** As the worker does it, into a log of its own, until the last line. */
async function collect(printing: Workload, round: number): Promise<void> {
  const logs = createServiceLogs({ directory: join(folder, `collected${round}`) });
  const log = await (await logs.takeOver()).open({ serviceId: 'svc_prints', environment: 'prod' });
  const secrets = Array.from({ length: 20 }, (_, index) => `a secret of the service, number ${index}`);
  const ended = new AbortController();
  let lines = 0;
  await followWorkload(printing, {
    runtime,
    signal: ended.signal,
    log: {
      ...log,
      async append(batch) {
        await log.append(batch);
        lines += batch.length;
        if (lines >= LINES) ended.abort();
      },
    },
    redact: createRedactor({ secrets }),
    onDelay: (error) => console.error(error.message),
    rate: { linesPerSecond: 1e12, bytesPerSecond: 1e12, burstSeconds: 1 },
  });
  await log.close();
}
