import type { Outcome } from '../../domain/monitors/check-result.ts';
import type { Condition } from '../../domain/monitors/condition.ts';
import { headersToSend, type OpenedSecret } from '../../domain/monitors/headers-to-send.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { ProbedMonitor } from '../../domain/monitors/prober-ports.ts';

export interface ProbedFacts {
  readonly condition: Condition | null;
  /** Whether the platform itself gives addresses there. */
  readonly isPlatformHost: (host: string) => boolean;
  /** Of its org, by name. */
  readonly secrets: ReadonlyMap<string, OpenedSecret>;
}

/** A monitor as its prober gets it. */
export function probedMonitor(
  { id, check, intervalSeconds, org, unmanaged }: Monitor,
  { condition, isPlatformHost, secrets }: ProbedFacts,
): ProbedMonitor {
  const isOfPlatform = !unmanaged && check.kind === 'http' && isPlatformHost(new URL(check.url).hostname);
  const headers = headersToSend(check, secrets, isPlatformHost);
  return { id, check, headers, intervalSeconds, org, isOfPlatform, lastOutcome: lastOutcomeOf(condition) };
}

/** A result that says nothing is not the last outcome: its monitor is as it was before. */
function lastOutcomeOf(condition: Condition | null): Outcome | null {
  const last = condition?.last?.outcome ?? null;
  if (condition === null || last !== 'unknown') return last;
  return condition.verdict.verdict === 'down' ? 'failed' : 'ok';
}
