import type { Outcome } from '../../domain/monitors/check-result.ts';
import type { Condition } from '../../domain/monitors/condition.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { ProbedMonitor } from '../../domain/monitors/prober-ports.ts';

/** A monitor as its prober gets it. @param isPlatformHost whether the platform itself gives addresses there */
export function probedMonitor(
  { id, check, intervalSeconds, org, unmanaged }: Monitor,
  condition: Condition | null,
  isPlatformHost: (host: string) => boolean,
): ProbedMonitor {
  const isOfPlatform = !unmanaged && check.kind === 'http' && isPlatformHost(new URL(check.url).hostname);
  return { id, check, intervalSeconds, org, isOfPlatform, lastOutcome: lastOutcomeOf(condition) };
}

/** A result that says nothing is not the last outcome: its monitor is as it was before. */
function lastOutcomeOf(condition: Condition | null): Outcome | null {
  const last = condition?.last?.outcome ?? null;
  if (condition === null || last !== 'unknown') return last;
  return condition.verdict.verdict === 'down' ? 'failed' : 'ok';
}
