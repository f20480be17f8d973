import type { MockTracker } from 'node:test';

/** Stops the monotonic clock of this process until `mock` is reset: `tick` alone lets time pass. */
export function movableMonotonicClock(mock: MockTracker): { readonly tick: (ms: number) => void } {
  // Whole milliseconds: sums of others are off by a rounding error.
  let nowMs = Math.ceil(performance.now());
  mock.method(performance, 'now', () => nowMs);
  return {
    tick: (ms) => {
      nowMs += ms;
    },
  };
}

/** Sets the clock of this machine an hour ahead, as a time server or a person may, until `mock` is reset. */
export function setClockAhead(mock: MockTracker): void {
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 });
}
