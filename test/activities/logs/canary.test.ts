import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { followWorkload } from '../../../activities/logs/follow-workload.ts';
import { createOutputReader } from '../../../adapters/docker/output-frames.ts';
import { createServiceLogs } from '../../../adapters/log-files/service-logs.ts';
import type { Workload, WorkloadRuntime } from '../../../domain/deploys/workload-runtime.ts';
import { createRedactor } from '../../../domain/logs/redact.ts';
import { TARGET } from '../../ports/service-logs.ts';

const CANARY = 'kM3+vQ9/xT7ä-zR5wL2pN8"sB4fH6jD1c';
/** What the engine puts into one frame. */
const FRAGMENT_BYTES = 16_384;

const WORKLOAD: Workload = {
  ...{ id: 'w1', buildId: 'bld_1', releaseId: 'rel_1', service: 'shop', environment: 'prod', running: true },
  address: 'http://127.0.0.1:20000',
};

let printed = 0;

/** A line in the frames in which the engine sends it: of a long one, each has the time of the first. */
function framesOf(line: string, stream: 1 | 2 = 1): Buffer[] {
  printed += 1;
  const stamp = `2026-01-01T00:00:${String(Math.floor(printed / 1_000)).padStart(2, '0')}.${String(printed % 1_000).padStart(9, '0')}Z `;
  const bytes = Buffer.from(`${line}\n`);
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += FRAGMENT_BYTES) {
    const payload = Buffer.concat([Buffer.from(stamp), bytes.subarray(at, at + FRAGMENT_BYTES)]);
    const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32BE(payload.length, 4);
    frames.push(Buffer.concat([header, payload]));
  }
  return frames;
}

/** Everything that a workload may do to a value, by accident or not. */
function hostileFrames(): Buffer[] {
  const bytes = Buffer.byteLength(CANARY);
  const splits = Array.from({ length: bytes + 1 }, (_, at) => 'x '.repeat(FRAGMENT_BYTES / 2 - at) + CANARY);
  const cut = Array.from({ length: bytes + 1 }, (_, at) => `${'y'.repeat(FRAGMENT_BYTES - at)}${CANARY} end`);
  const base64 = ['', 'a', 'ab', 'abc'].flatMap((before) => {
    const text = Buffer.from(`${before}${CANARY}, and what follows`);
    return [text.toString('base64'), text.toString('base64url'), Buffer.from(before + CANARY).toString('base64')];
  });
  const written = [JSON.stringify({ note: CANARY }), encodeURIComponent(CANARY), `x=${CANARY}&y`, CANARY.repeat(3)];
  const hidden = [...CANARY].join('\u001b[0m');
  const huge = CANARY.padEnd(100, '.').repeat(50_000);
  const lines = [...splits, ...cut, ...base64, ...written, hidden, huge, `${'z'.repeat(5_000_000)}${CANARY}`];
  const frames = lines.flatMap((line, index) => framesOf(line, index % 3 === 0 ? 2 : 1));
  // The two streams, frame by frame in turns.
  const long = [framesOf('o '.repeat(8_180) + CANARY), framesOf('e '.repeat(8_185) + CANARY, 2)] as const;
  return [...frames, ...long[0].flatMap((frame, index) => [frame, long[1][index] ?? Buffer.alloc(0)])];
}

it('a secret that is split over fragments, in base64, or in a line of 5 MB is found 0 times in what is kept', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-canary-'));
  try {
    const limits = { fileBytes: 300_000, noteEveryBytes: 10_000 };
    const logs = createServiceLogs({ directory, limits });
    const writer = await logs.takeOver();
    const log = await writer.open(TARGET);
    const stream = Buffer.concat(hostileFrames());
    const follow: WorkloadRuntime['follow'] = async function* () {
      const reader = createOutputReader();
      // As a network cuts it.
      for (let at = 0, size = 1; at < stream.length; at += size, size = ((size * 31) % 40_009) + 1) {
        yield reader.read(stream.subarray(at, at + size));
      }
      yield reader.rest();
    };
    await followWorkload(WORKLOAD, {
      ...{ runtime: { follow }, log, signal: new AbortController().signal, onDelay: () => undefined },
      redact: createRedactor({ secrets: [CANARY] }),
      rate: { linesPerSecond: 1e12, bytesPerSecond: 1e12, burstSeconds: 1 },
    });
    await writer.look();
    await log.close();
    const folder = join(directory, 'svc_shop', 'prod');
    const names = await readdir(folder);
    assert.ok(names.some((name) => name.endsWith('.gz')));
    const kept = await Promise.all(
      names.map(async (name) => {
        const bytes = await readFile(join(folder, name));
        return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
      }),
    );
    const text = kept.join('\n');
    const redacted = text.split('\n').filter((line) => line.includes('[REDACTED]')).length;
    assert.ok(redacted > 25, `${redacted} lines`);
    for (const form of forms()) assert.equal(text.split(form).length - 1, 0, `${form} is in the log`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

/** Every part of six characters, and the value in base64 wherever it begins there. */
function forms(): readonly string[] {
  const parts = Array.from({ length: CANARY.length - 5 }, (_, at) => CANARY.slice(at, at + 6));
  const within = ['', 'a', 'ab'].flatMap((before) => {
    const base64 = Buffer.from(`${before}${CANARY}`).toString('base64').slice(4, -6);
    return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [...parts, ...within];
}
