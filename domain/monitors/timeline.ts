import type { CheckResult } from './check-result.ts';
import { isGap, type VerdictState } from './condition.ts';
import type { TimeByState } from './history.ts';
import type { MaintenanceWindow } from './maintenance.ts';
import { NOTHING_KNOWN, nextVerdict } from './next-verdict.ts';

/** What results before a moment came to: where a replay goes on. */
export interface ReplayState {
  readonly verdict: VerdictState;
  /** When the last result was; null when there was none. */
  readonly lastAt: number | null;
}

export const NOTHING_REPLAYED: ReplayState = { verdict: NOTHING_KNOWN, lastAt: null };

/** A time in which results say how the monitor was; what lies between two of them is no data. Milliseconds since 1970. */
export interface Segment {
  readonly verdict: 'up' | 'degraded' | 'down';
  readonly from: number;
  readonly to: number;
}

/**
 * Replays results through the state table. A result holds until the next one; with a gap after it, for one interval. A
 * verdict that took two results holds from the first of them on.
 * @param results by time, one of a time only; those that say `unknown` count as missing
 */
export function replay(
  opening: ReplayState,
  results: readonly CheckResult[],
  intervalMs: number,
): { readonly segments: readonly Segment[]; readonly closing: ReplayState } {
  const changes: { readonly at: number; readonly verdict: VerdictState['verdict'] }[] = [
    { at: Number.NEGATIVE_INFINITY, verdict: opening.verdict.verdict },
  ];
  const held: { readonly from: number; to: number }[] = [];
  let { verdict, lastAt } = opening;
  if (lastAt !== null) held.push({ from: lastAt, to: lastAt + intervalMs });
  for (const result of results) {
    if (result.outcome === 'unknown') continue;
    const afterGap = isGap(lastAt, result.at, intervalMs);
    const next = nextVerdict(verdict, result, afterGap);
    if (next.verdict !== verdict.verdict) changes.push({ at: next.since, verdict: next.verdict });
    const last = held.at(-1);
    if (last !== undefined && !afterGap) last.to = result.at;
    held.push({ from: result.at, to: result.at + intervalMs });
    verdict = next;
    lastAt = result.at;
  }
  return { segments: cutAtChanges(held, changes), closing: { verdict, lastAt } };
}

/** Both lists by time. */
function cutAtChanges(
  held: readonly { readonly from: number; readonly to: number }[],
  changes: readonly { readonly at: number; readonly verdict: VerdictState['verdict'] }[],
): readonly Segment[] {
  const segments: Segment[] = [];
  let index = 0;
  for (const { from, to } of held) {
    let start = from;
    while (start < to) {
      while ((changes[index + 1]?.at ?? Number.POSITIVE_INFINITY) <= start) index += 1;
      const end = Math.min(to, changes[index + 1]?.at ?? to);
      const verdict = changes[index]?.verdict ?? 'pending';
      if (verdict !== 'pending') append(segments, { verdict, from: start, to: end });
      start = end;
    }
  }
  return segments;
}

/** Joined with the last one where it goes on: a monitor that is up for an hour has one segment. */
function append(segments: Segment[], segment: Segment): void {
  const last = segments.at(-1);
  if (last !== undefined && last.verdict === segment.verdict && last.to === segment.from) segments.pop();
  else return void segments.push(segment);
  segments.push({ ...last, to: segment.to });
}

/** Adds up segments within [from, to). Time in maintenance is out of all others. Milliseconds. */
export function timeByState(
  segments: readonly Segment[],
  windows: readonly MaintenanceWindow[],
  from: number,
  to: number,
): TimeByState {
  const out = joined(windows, from, to);
  const time = { up: 0, degraded: 0, down: 0 };
  for (const segment of segments) {
    const start = Math.max(segment.from, from);
    const end = Math.min(segment.to, to);
    if (start >= end) continue;
    time[segment.verdict] += end - start - overlap(out, start, end);
  }
  return {
    upMs: time.up + time.degraded,
    degradedMs: time.degraded,
    downMs: time.down,
    maintenanceMs: overlap(out, from, to),
  };
}

/** Windows within a range, by time, overlapping ones as one. */
function joined(
  windows: readonly MaintenanceWindow[],
  from: number,
  to: number,
): readonly (readonly [number, number])[] {
  const spans = windows
    .map((window) => [Math.max(from, window.from.getTime()), Math.min(to, window.to.getTime())] as const)
    .filter(([start, end]) => start < end)
    .sort(([a], [b]) => a - b);
  const whole: [number, number][] = [];
  for (const [start, end] of spans) {
    const last = whole.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else whole.push([start, end]);
  }
  return whole;
}

function overlap(spans: readonly (readonly [number, number])[], from: number, to: number): number {
  return spans.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)), 0);
}
