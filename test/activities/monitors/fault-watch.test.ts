import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createFaultWatch } from '../../../activities/monitors/fault-watch.ts';

test('each time that no control target answers any more is warned of once, also when others are well', async () => {
  const found = { controls: 1, answering: 1 };
  let nowMs = 0;
  const warnings: string[] = [];
  const watch = createFaultWatch({
    prober: { nowMs: () => nowMs, askControls: async () => ({ ...found }) },
    outbox: { tell: async () => assert.fail('half of the orgs are well: nobody has a fault') },
    now: () => new Date(nowMs),
    proberName: 'test',
    warn: (_problem, message) => void warnings.push(message),
  });
  const look = async (answering: number): Promise<number> => {
    found.answering = answering;
    nowMs += 10_000;
    const result = { beganMs: nowMs, durationMs: 1, status: null, message: null } as const;
    const failed = { ...result, monitorId: 'mon_failed', outcome: 'failed', problem: 'timeout' } as const;
    const well = { ...result, monitorId: 'mon_well', outcome: 'ok', problem: null } as const;
    const judged = watch.judge([well, failed], (id) => id);
    assert.deepEqual(
      judged.map(({ outcome }) => outcome),
      ['ok', 'failed'],
    );
    await turn();
    return warnings.length;
  };
  const counts = [];
  for (const answering of [1, 0, 0, 1, 0]) counts.push(await look(answering));
  assert.deepEqual(counts, [0, 1, 1, 1, 2]);
  assert.match(warnings[0] ?? '', /none of the control targets answers/);
});
