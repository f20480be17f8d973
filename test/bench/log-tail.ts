import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServiceLogs } from '../../adapters/log-files/service-logs.ts';
import { encodePositions } from '../../adapters/log-files/stored-lines.ts';
import type { ServiceLogReader } from '../../domain/logs/service-log.ts';
import { serviceLogLine } from '../ports/service-logs.ts';
import { median } from './parts/median.ts';

/**
 * The time that the last lines of a log of 10 GB take, over those of a log of 1 KB: only the end of a log is read. Most of
 * the large file is a hole, which a reader of more than its end would meet as 10 GB of zeros.
 */
export const needsStack = false;

const LARGE_BYTES = 10 * 1024 ** 3;
const LINES = 5;
const READS = 40;
const ROUNDS = 9;

const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-tail-'));
const target = (serviceId: string) => ({ serviceId, environment: 'prod' }) as const;
const limits = { fileBytes: 2 * LARGE_BYTES };
const logs = createServiceLogs({ directory: folder, limits });
const lines = Array.from({ length: LINES }, (_, index) => serviceLogLine(`line ${index} ${'x'.repeat(80)}`));
await fill('svc_small');
await fill('svc_large');
const hole = await open(join(folder, 'svc_large', 'prod', '1.jsonl'), 'a');
await hole.truncate(LARGE_BYTES);
// As a writer leaves it: it notes its positions again and again.
await hole.appendFile(`\n${encodePositions({})}`);
await hole.close();
await fill('svc_large');

const figures = { small: [] as number[], large: [] as number[] };
for (let round = -1; round < ROUNDS; round += 1) {
  for (const [name, times] of Object.entries(figures)) {
    const took = await timeOf(logs, `svc_${name}`);
    if (round >= 0) times.push(took);
  }
}
await rm(folder, { recursive: true, force: true });
const [small, large] = [median(figures.small), median(figures.large)];
console.log(`last ${LINES} lines: ${small.toFixed(0)} µs of 1 KB, ${large.toFixed(0)} µs of 10 GB`);
console.log(`log-tail: ${(large / small).toFixed(2)}`);
process.exit();

async function fill(serviceId: string): Promise<void> {
  const log = await (await logs.takeOver()).open(target(serviceId));
  await log.append(lines);
  await log.close();
}

/** Microseconds of one read. */
async function timeOf(reader: ServiceLogReader, serviceId: string): Promise<number> {
  const before = performance.now();
  for (let read = 0; read < READS; read += 1) {
    const { lines: found } = await reader.last(target(serviceId), { count: LINES, matches: () => true });
    if (found.length !== LINES) throw new Error(`${found.length} lines of ${LINES}`);
  }
  return ((performance.now() - before) * 1_000) / READS;
}
