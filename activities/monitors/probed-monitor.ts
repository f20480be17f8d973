import type { Outcome } from '../../domain/monitors/check-result.ts';
import type { Condition } from '../../domain/monitors/condition.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { ProbedMonitor } from '../../domain/monitors/prober-ports.ts';

/** A monitor as its prober gets it. */
export function probedMonitor({ id, check, intervalSeconds }: Monitor, condition: Condition | null): ProbedMonitor {
  return { id, check, intervalSeconds, lastOutcome: lastOutcomeOf(condition) };
}

/** A result that says nothing is not the last outcome: its monitor is as it was before. */
function lastOutcomeOf(condition: Condition | null): Outcome | null {
  const last = condition?.last?.outcome ?? null;
  if (condition === null || last !== 'unknown') return last;
  return condition.verdict.verdict === 'down' ? 'failed' : 'ok';
}
