import type { MonitorResult } from './check-result.ts';
import { type Condition, isGap, type Transition, type VerdictState } from './condition.ts';
import { flappingAt, STEADY } from './flapping.ts';
import type { Monitor } from './monitor.ts';
import { NOTHING_KNOWN, nextVerdict } from './next-verdict.ts';
import { maintenanceAt } from './recurring-maintenance.ts';

/** Of a monitor that was never checked. */
export function emptyCondition(monitorId: string): Condition {
  const nothing = { openDown: null, untold: [], last: null, seenAt: null };
  return { monitorId, verdict: NOTHING_KNOWN, flapping: STEADY, sequence: 0, ...nothing };
}

type Rules = Pick<Monitor, 'intervalSeconds' | 'maintenance' | 'recurring'>;

/** Whether a later result was applied already. Of a check that has just ended it says that the clock was set back. */
export function isPast({ last }: Condition, { at }: Pick<MonitorResult, 'at'>): boolean {
  return last !== null && at <= last.at;
}

/** The condition after one more result; what there is to tell is added to `untold`. @param now when the result came, ms */
export function applyResult(condition: Condition, result: MonitorResult, rules: Rules, now: number): Condition {
  if (result.outcome === 'unknown') return { ...condition, last: result };
  const afterGap = isGap(condition.seenAt, result.at, rules.intervalSeconds * 1_000);
  const verdict = nextVerdict(condition.verdict, result, afterGap);
  const known = { ...condition, verdict, last: result, seenAt: result.at };
  const inMaintenance = maintenanceAt(rules, new Date(result.at)) !== null;
  return withTransitions(condition, known, { result, inMaintenance, now });
}

/** Nothing is checked any more: what is open is closed, and the next result is as the first one. */
export function stopWatching(condition: Condition, message: string, now: number): Condition {
  const reset = { ...condition, verdict: NOTHING_KNOWN, flapping: STEADY, seenAt: null };
  if (condition.openDown === null) return reset;
  return tell(reset, { kind: 'up', at: now, confirmedAt: now, message });
}

interface Moment {
  readonly result: MonitorResult;
  readonly inMaintenance: boolean;
  readonly now: number;
}

/**
 * What is told: down once, outside maintenance; up once it is over; flapping once, and its end. While a monitor flaps its
 * incident stays open, and single changes are not told.
 */
function withTransitions(before: Condition, after: Condition, { result, inMaintenance, now }: Moment): Condition {
  const isChange = !inMaintenance && changesSide(before.verdict, after.verdict);
  const flapping = flappingAt(before.flapping, result.at, isChange);
  const facts = { at: after.verdict.since, confirmedAt: now, message: result.message };
  const isDown = after.verdict.verdict === 'down';
  let condition: Condition = { ...after, flapping };
  if (isDown && !inMaintenance && condition.openDown === null) condition = tell(condition, { kind: 'down', ...facts });
  if (before.flapping.since === null && flapping.since !== null) {
    condition = tell(condition, { kind: 'flapping', ...facts, at: flapping.since });
  }
  if (before.flapping.since !== null && flapping.since === null) {
    condition = tell(condition, { kind: 'steady', ...facts, at: result.at });
  }
  const isOver = !isDown && condition.openDown !== null && flapping.since === null;
  return isOver ? tell(condition, { kind: 'up', ...facts, message: null }) : condition;
}

function changesSide(before: VerdictState, after: VerdictState): boolean {
  if (before.verdict === 'pending') return false;
  return (before.verdict === 'down') !== (after.verdict === 'down');
}

function tell(
  condition: Condition,
  { kind, ...facts }: Pick<Transition, 'kind' | 'at' | 'confirmedAt' | 'message'>,
): Condition {
  const sequence = condition.sequence + 1;
  const downSequence = kind === 'down' ? sequence : condition.openDown;
  const openDown = kind === 'up' ? null : downSequence;
  const transition: Transition = { sequence, kind, ...facts, downSequence };
  return { ...condition, sequence, openDown, untold: [...condition.untold, transition] };
}
