import { checkTcp } from './checks/check-tcp.ts';
import type { Target } from './dial.ts';
import { createProbe } from './probe.ts';
import type { ProbeGuard } from './probe-guard.ts';

/** Known before a failure is confirmed. */
const LIMIT_MS = 2_000;

/** How many of the control targets take a connection. They answer while this machine has a network. */
export async function askControls(
  controls: readonly Target[],
  guard: ProbeGuard,
): Promise<{ readonly controls: number; readonly answering: number }> {
  const answers = await Promise.all(controls.map((target) => answersInTime(target, guard)));
  return { controls: controls.length, answering: answers.filter(Boolean).length };
}

async function answersInTime(target: Target, guard: ProbeGuard): Promise<boolean> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  signal.addEventListener('abort', () => resolve(false), { once: true });
  const asked = checkTcp(target, createProbe(guard), signal).then(
    () => true,
    () => false,
  );
  return await Promise.race([asked, late]);
}
