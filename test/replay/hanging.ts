import { Context } from '@temporalio/activity';
import type { Activities } from '../workflows/deploys/harness.ts';

/** One activity that hangs, the first time it is called, until it is released or cancelled. */
export function hanging(name: keyof Activities): {
  readonly overrides: Partial<Activities>;
  readonly begun: () => boolean;
  readonly release: () => void;
} {
  let calls = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hang = async () => {
    calls += 1;
    if (calls > 1) return { facts: {} };
    const context = Context.current();
    const timer = setInterval(() => context.heartbeat(), 50);
    try {
      await Promise.race([context.cancelled, released]);
      return { facts: {} };
    } finally {
      clearInterval(timer);
    }
  };
  return { overrides: { [name]: hang }, begun: () => calls > 0, release: () => release() };
}
