import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProber } from '../../../adapters/prober/prober.ts';
import { createStallWatch } from '../../../adapters/prober/stall-watch.ts';
import type { ProbedMonitor, ProbeResult } from '../../../domain/monitors/prober-ports.ts';
import { waitUntil } from '../../support/wait-until.ts';

const networks = { allowed: [], edgePorts: [], edgeHost: null };
const thread = new URL('./hanging-thread.ts', import.meta.url);
const monitor = (id: string): ProbedMonitor => ({
  ...{ id, check: { kind: 'tcp', host: '127.0.0.1', port: 1 }, org: 'acme', intervalSeconds: 5, lastOutcome: 'ok' },
  isOfPlatform: false,
});

describe('a thread of the prober', () => {
  for (const [how, id] of [
    ['hangs', 'bad'],
    ['ends', 'dead'],
  ] as const) {
    it(`that ${how} in a check is started anew without it, and the others go on`, async () => {
      const results: ProbeResult[] = [];
      const warnings: unknown[] = [];
      const prober = createProber({
        ...{ networks, nameServers: [], controls: [], thread },
        warn: (problem, message) => warnings.push([message, problem.monitorIds]),
      });
      const ends: Error[] = [];
      const session = prober.open(
        {
          onResults: (more) => results.push(...more),
          onHeartbeatsDue: () => undefined,
          onEnd: (error) => ends.push(error),
        },
        0,
      );
      const of = (wanted: string) => results.filter(({ monitorId }) => monitorId === wanted);
      session.set([monitor('good')]);
      session.set([monitor(id)]);
      await waitUntil('it is said of the check', () => of(id).some(({ outcome }) => outcome === 'unknown'));
      assert.match(of(id).at(-1)?.message ?? '', /not checked for 10 minutes/);
      await waitUntil('the other is checked by another thread', () => of('good').length >= 2);
      assert.ok(warnings.some((each) => JSON.stringify(each).includes(`["${id}"]`)));
      session.set([monitor(id), monitor('later')]);
      await waitUntil('the thread goes on', () => of('later').length >= 1);
      assert.deepEqual(ends, []);
      await prober.close();
      assert.equal(ends.length, 1);
    });
  }

  it('is not taken for one that hangs while the whole process stands still, or while it starts', () => {
    const watch = createStallWatch();
    for (let look = 0; look < 100; look += 1) assert.equal(watch.hangs(0), false);
    for (let beats = 1; beats < 100; beats += 1) assert.equal(watch.hangs(beats), false);
    for (let look = 0; look < 4; look += 1) assert.equal(watch.hangs(99), false);
    assert.equal(watch.hangs(99), true);
  });
});
