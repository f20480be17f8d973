import { Context } from '@temporalio/activity';
import type { Activities } from './harness.ts';

/** An activity that, the first time it is called, hangs until it is cancelled, and then until it is released. */
export function endingSlowly(name: keyof Activities): {
  readonly overrides: Partial<Activities>;
  readonly begun: () => boolean;
  /** Whether it was asked to end. */
  readonly isCalledOff: () => boolean;
  readonly release: () => void;
} {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let calls = 0;
  let isCalledOff = false;
  const work = async () => {
    calls += 1;
    if (calls > 1) return { facts: {} };
    const context = Context.current();
    const timer = setInterval(() => context.heartbeat(), 50);
    try {
      return await context.cancelled;
    } catch (reason) {
      isCalledOff = true;
      await released;
      throw reason;
    } finally {
      clearInterval(timer);
    }
  };
  return { overrides: { [name]: work }, begun: () => calls > 0, isCalledOff: () => isCalledOff, release };
}
