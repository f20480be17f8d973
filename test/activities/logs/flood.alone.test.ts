import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as delay, setImmediate as settle } from 'node:timers/promises';
import { followWorkload } from '../../../activities/logs/follow-workload.ts';
import { createOutputReader } from '../../../adapters/docker/output-frames.ts';
import { createServiceLogs } from '../../../adapters/log-files/service-logs.ts';
import type { Workload, WorkloadRuntime } from '../../../domain/deploys/workload-runtime.ts';
import { createRedactor } from '../../../domain/logs/redact.ts';
import type { ServiceLogWriter } from '../../../domain/logs/service-log.ts';

const QUIET = 10;
const MEASURED_MS = 6_000;
const MOST_MS = 1_000;
const MIB = 1024 ** 2;
const FLOOD_BYTES_A_SECOND = 100 * MIB;
/** What one read of the engine's stream gives at most. */
const PIECE_BYTES = 64 * 1024;

it('a workload that prints 100 MB a second delays the lines of ten quiet ones by less than a second', {
  timeout: 120_000,
}, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-flood-'));
  const stop = new AbortController();
  const followed: Promise<void>[] = [];
  try {
    const writer = await createServiceLogs({ directory }).takeOver();
    const delaysMs: number[] = [];
    for (let index = 0; index < QUIET; index += 1) {
      followed.push(
        collect(writer, { id: `quiet${index}`, follow: quiet(stop.signal), delaysMs, signal: stop.signal }),
      );
    }
    const alone = await measured(delaysMs);
    const read = { bytes: 0 };
    const beganAt = performance.now();
    followed.push(
      collect(writer, { id: 'flood', follow: flood(stop.signal, read), delaysMs: null, signal: stop.signal }),
    );
    const beside = await measured(delaysMs);
    const perSecond = read.bytes / MIB / ((performance.now() - beganAt) / 1_000);
    t.diagnostic(
      `${alone} ms alone, ${beside} ms beside the flood, of which ${perSecond.toFixed(1)} MiB a second were read`,
    );
    assert.ok(read.bytes > 5 * MIB, 'it was read');
    assert.ok(beside - alone < MOST_MS, `${alone} ms alone, ${beside} ms beside the flood`);
  } finally {
    stop.abort();
    await Promise.all(followed);
    await rm(directory, { recursive: true, force: true });
  }
});

interface Collected {
  readonly id: string;
  readonly follow: WorkloadRuntime['follow'];
  /** Given how long each line took into its file; null for nobody who asks. */
  readonly delaysMs: number[] | null;
  readonly signal: AbortSignal;
}

/** As the collector follows each workload, with the real rate and the real files. */
async function collect(writer: ServiceLogWriter, { id, follow, delaysMs, signal }: Collected): Promise<void> {
  const log = await writer.open({ serviceId: `svc_${id}`, environment: 'prod' });
  const workload: Workload = {
    ...{ id, buildId: 'bld_1', releaseId: 'rel_1', service: id, environment: 'prod', running: true },
    address: 'http://127.0.0.1:20000',
  };
  await followWorkload(workload, {
    ...{ runtime: { follow }, signal, onDelay: () => undefined },
    log: {
      ...log,
      async append(lines) {
        await log.append(lines);
        for (const { text } of lines) delaysMs?.push(Math.round(performance.now() - Number.parseFloat(text)));
      },
    },
    redact: createRedactor({ secrets: Array.from({ length: 20 }, (_, index) => `a secret, number ${index}`) }),
  });
  await log.close();
}

const stamp = (): string => `${new Date().toISOString().slice(0, -1)}000000Z`;

/** A line ten times a second: when it was printed. */
function quiet(stop: AbortSignal): WorkloadRuntime['follow'] {
  return async function* () {
    while (!stop.aborted) {
      yield [{ at: stamp(), stream: 'out', text: `${performance.now()}` }];
      await delay(100, undefined, { signal: stop }).catch(() => undefined);
    }
  };
}

/** What the engine sends of lines of 1 KB, for as long as somebody reads: at most so many bytes a second. */
function flood(stop: AbortSignal, read: { bytes: number }): WorkloadRuntime['follow'] {
  return async function* () {
    const reader = createOutputReader();
    let second = Date.now();
    let left = FLOOD_BYTES_A_SECOND;
    while (!stop.aborted) {
      if (Date.now() - second >= 1_000) [second, left] = [Date.now(), FLOOD_BYTES_A_SECOND];
      if (left <= 0) await delay(10);
      else {
        const piece = pieceOf(stamp());
        left -= piece.length;
        read.bytes += piece.length;
        yield reader.read(piece);
        await settle();
      }
    }
  };
}

function pieceOf(at: string): Buffer {
  const payload = Buffer.from(`${at} ${'x'.repeat(993)}\n`);
  const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(payload.length, 4);
  const frame = Buffer.concat([header, payload]);
  return Buffer.concat(Array.from({ length: Math.floor(PIECE_BYTES / frame.length) }, () => frame));
}

/** The delay of the slowest line of a hundred, of some seconds: another process can take the processor from all of them. */
async function measured(delaysMs: number[]): Promise<number> {
  delaysMs.length = 0;
  await delay(MEASURED_MS);
  const sorted = delaysMs.toSorted((a, b) => a - b);
  assert.ok(sorted.length > QUIET * 10, `${sorted.length} lines`);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}
