import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import { type FloodRest, followWorkload } from '../../../activities/logs/follow-workload.ts';
import type { Workload } from '../../../domain/deploys/workload-runtime.ts';
import type { OpenServiceLog, ServiceLogLine } from '../../../domain/logs/service-log.ts';
import { waitUntil } from '../../support/wait-until.ts';

const WORKLOAD: Workload = {
  ...{ id: 'container', buildId: 'bld_1', releaseId: 'rel_1', service: 'shop', environment: 'prod', running: true },
  address: 'http://127.0.0.1:20000',
};
const RATE = { linesPerSecond: 10, bytesPerSecond: 10_000, burstSeconds: 1 };
const LINES = 100;

/** Follows a workload that prints without an end, all at the same time, until `stop`. */
function follow(rest: FloodRest) {
  const stop = new AbortController();
  const written: ServiceLogLine[] = [];
  let read = 0;
  async function* flood() {
    while (!stop.signal.aborted) {
      read += 1;
      yield Array.from({ length: LINES }, (_, line) => ({
        ...{ at: '2026-01-01T00:00:00.000000000Z', stream: 'out' as const },
        text: `${read}-${line}`,
      }));
      await settle();
    }
  }
  const log: OpenServiceLog = {
    position: () => ({}),
    append: async (lines) => void written.push(...lines),
    close: async () => undefined,
  };
  const runtime = { follow: () => flood() };
  const signal = stop.signal;
  const ended = followWorkload(WORKLOAD, {
    ...{ runtime, log, signal, rate: RATE, rest },
    ...{ redact: (line: string) => line, onDelay: () => undefined },
  });
  return { written, read: () => read, stop: () => stop.abort(), ended };
}

describe('a workload that floods its log', () => {
  it('is not read for a while, and its reader ends at once', async () => {
    const { read, written, stop, ended } = follow({ afterDropped: 10 * LINES, ms: 3_600_000 });
    await waitUntil('what is left out before the rest', () => read() >= 10 || null);
    for (let turn = 0; turn < 200; turn += 1) await settle();
    assert.equal(read(), 11);
    stop();
    await ended;
    assert.deepEqual(
      written.filter(({ dropped }) => dropped !== undefined).map(({ text }) => text),
      [`${11 * LINES - 10} lines were dropped: the service printed too fast`],
    );
  });

  it('is read on after that', async () => {
    const { read, stop, ended } = follow({ afterDropped: LINES, ms: 1 });
    await waitUntil('what follows the rest', () => read() > 20 || null);
    stop();
    await ended;
  });
});

describe('a workload whose engine did not keep all lines until they were read', () => {
  it('has a notice in its log where they are missing', async () => {
    const at = '2026-01-01T00:00:00.000000000Z';
    const written: ServiceLogLine[] = [];
    async function* lines() {
      yield [{ at, stream: 'error' as const, text: 'after it', afterGap: true as const }];
    }
    await followWorkload(WORKLOAD, {
      ...{ runtime: { follow: lines }, signal: new AbortController().signal },
      log: { position: () => ({}), append: async (more) => void written.push(...more), close: async () => undefined },
      ...{ redact: (line: string) => line, onDelay: () => undefined },
    });
    const from = { at, stream: 'error', release: 'rel_1', workload: 'container' };
    const text = 'Lines may be missing here: the engine did not keep them until they were read';
    assert.deepEqual(written, [
      { ...from, text, dropped: 0 },
      { ...from, text: 'after it' },
    ]);
  });
});
