import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRateLimit } from '../../../activities/logs/rate-limit.ts';
import type { OutputLine } from '../../../domain/logs/output-line.ts';

const lineAt = (ms: number, text = 'x'): OutputLine => {
  const at = `${new Date(Date.UTC(2026, 0) + ms).toISOString().slice(0, -1)}000000Z`;
  return { at, stream: 'out', text };
};

it('of a steady flood, a second’s worth is kept in each second, with one gap between two runs, and every line is counted', () => {
  const limit = createRateLimit({ linesPerSecond: 10, bytesPerSecond: 1_000, burstSeconds: 2 });
  let kept = 0;
  let dropped = 0;
  let gaps = 0;
  for (let ms = 0; ms < 10_000; ms += 1) {
    if (!limit.admits(lineAt(ms))) continue;
    kept += 1;
    for (const { count } of limit.takeDropped('out')) {
      dropped += count;
      gaps += 1;
    }
  }
  for (const { count } of limit.takeDropped()) dropped += count;
  assert.equal(kept + dropped, 10_000);
  assert.ok(kept > 90 && kept <= 120, `${kept} lines were kept`);
  assert.ok(gaps <= 10, `${gaps} gaps`);
});

it('bounds bytes as well, and forgets nothing when the clock of the machine is set back', () => {
  const limit = createRateLimit({ linesPerSecond: 1_000, bytesPerSecond: 1_000, burstSeconds: 1 });
  assert.deepEqual(
    [lineAt(5_000, 'x'.repeat(900)), lineAt(5_000, 'x'.repeat(200)), lineAt(5_000), lineAt(1_000)].map(limit.admits),
    [true, true, false, false],
  );
  assert.equal(limit.admits(lineAt(7_000)), true);
});

it('counts anew from a clock that was set back, and nothing twice for lines of two streams out of order', () => {
  const limit = createRateLimit({ linesPerSecond: 10, bytesPerSecond: 1_000, burstSeconds: 1 });
  const admitted = (times: readonly number[]) => times.filter((ms) => limit.admits(lineAt(ms))).length;
  const hour = 3_600_000;
  const flood = (from: number) => Array.from({ length: 100 }, (_, index) => from + index);
  assert.equal(admitted(flood(hour)), 10);
  assert.equal(admitted([1_000, 3_000]), 1, 'an hour back, and two seconds on');
  const disordered = Array.from({ length: 200 }, (_, index) => 3_000 + (index % 2 === 0 ? 1_000 : 0));
  assert.ok(admitted(disordered) <= 20, 'a second forth and back gives one second’s worth');
});
