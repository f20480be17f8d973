import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createTimerWheel } from '../../../domain/monitors/timer-wheel.ts';

type Step =
  | { readonly do: 'set'; readonly key: string; readonly inMs: number }
  | { readonly do: 'remove'; readonly key: string }
  | { readonly do: 'wait'; readonly ms: number };

const key = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('set' as const), key, inMs: fc.integer({ min: -500, max: 200_000 }) }),
  fc.record({ do: fc.constant('remove' as const), key }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 100_000 }) }),
);

describe('the timer wheel', () => {
  it('gives each timer when it is due, in order, as a sorted list does, over many turns', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 0, max: 10_000_000 }), (steps, startMs) => {
        const wheel = createTimerWheel(startMs);
        const oracle = new Map<string, number>();
        let now = startMs;
        for (const each of steps) {
          if (each.do === 'set') {
            wheel.set(each.key, now + each.inMs);
            oracle.set(each.key, now + each.inMs);
          } else if (each.do === 'remove') {
            wheel.remove(each.key);
            oracle.delete(each.key);
          } else {
            now += each.ms;
            const due = [...oracle].filter(([, dueMs]) => dueMs <= now);
            for (const [name] of due) oracle.delete(name);
            const times = due.map(([, dueMs]) => dueMs).sort((a, b) => a - b);
            const taken = wheel.takeDue(now);
            assert.deepEqual(
              taken.map(({ dueMs }) => dueMs),
              times,
            );
            assert.deepEqual(new Set(taken.map((timer) => timer.key)), new Set(due.map(([name]) => name)));
          }
          const next = Math.min(...oracle.values());
          const wake = wheel.wakeAtMs();
          assert.equal(wake === null, oracle.size === 0);
          assert.ok(wake === null || wake <= Math.max(next, now + 50_000), 'it wakes before the next timer');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('wakes at the time of the next timer when that is in this turn', () => {
    const wheel = createTimerWheel(1_000);
    wheel.set('a', 31_005);
    wheel.set('b', 5_007);
    assert.equal(wheel.wakeAtMs(), 5_007);
    wheel.remove('b');
    assert.equal(wheel.wakeAtMs(), 31_005);
  });
});
