import { isFailure, type MonitorResult } from './check-result.ts';
import { isOwnFault } from './own-fault.ts';

/**
 * Tells failures of the prober's own network from those of what it checks. The last result of each monitor counts, from the
 * first look at the control targets that found none on. A look that finds one ends that, and so does half of the orgs being
 * well: the control targets are away by themselves then. Times are of a clock that nobody sets.
 */
export interface FaultGuard {
  /** @param beganMs when the targets were asked */
  looked(found: { readonly controls: number; readonly answering: number }, beganMs: number): void;
  /** Whether to ask the control targets: at first, and while checks fail or the targets did not answer. */
  wantsLook(nowMs: number, hasFailures: boolean): boolean;
  /** The result as it is recorded: `unknown` for a failure that is the prober's own. In the order of the results. */
  judge<T extends Pick<MonitorResult, 'monitorId' | 'outcome' | 'problem' | 'message'>>(
    result: T,
    of: { readonly org: string | null; readonly beganMs: number; readonly nowMs: number },
  ): T;
  /** Since when the prober takes failures for its own; null while it does not. */
  faultSinceMs(): number | null;
}

/** A look is good for so long. */
const LOOK_EVERY_MS = 2_000;
/** A monitor without a result for so long is checked no more: twice the longest interval. */
const KEPT_MS = 7_200_000;
const FORGET_EVERY_MS = 60_000;

export function createFaultGuard(): FaultGuard {
  let controls = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  /** When no control target answered any more; null while one does. */
  let cutAtMs: number | null = null;
  let faultSinceMs: number | null = null;
  /** Checks that began before this, while the fault lasted, say nothing. */
  let healedAtMs = Number.NEGATIVE_INFINITY;
  const last = createLastResults();

  function isCut(): boolean {
    return cutAtMs !== null && isOwnFault({ ...last.counts(), controls, controlsAnswering: 0 });
  }

  function heal(atMs: number): void {
    if (faultSinceMs !== null) healedAtMs = atMs;
    faultSinceMs = null;
  }

  return {
    looked(found, beganMs) {
      controls = found.controls;
      lookedAtMs = beganMs;
      if (found.answering > 0 || found.controls === 0) {
        heal(beganMs);
        cutAtMs = null;
      } else if (cutAtMs === null) {
        cutAtMs = beganMs;
        last.clear();
      }
    },
    wantsLook(nowMs, hasFailures) {
      const isFirst = lookedAtMs === Number.NEGATIVE_INFINITY;
      return (isFirst || hasFailures || cutAtMs !== null) && nowMs - lookedAtMs >= LOOK_EVERY_MS;
    },
    judge(result, { org, beganMs, nowMs }) {
      if (cutAtMs !== null) last.add(result, org ?? '', nowMs);
      if (!isCut()) heal(nowMs);
      else faultSinceMs ??= cutAtMs;
      if (!isFailure(result)) return result;
      const isOwn = faultSinceMs !== null || beganMs < healedAtMs;
      return isOwn ? { ...result, outcome: 'unknown', message: 'the prober itself had no network' } : result;
    },
    faultSinceMs: () => faultSinceMs,
  };
}

interface LastResult {
  readonly org: string;
  readonly isFailed: boolean;
  readonly atMs: number;
}

/** How the orgs are by the last result of each monitor; what is unknown says nothing. */
function createLastResults() {
  const byMonitor = new Map<string, LastResult>();
  const orgs = new Map<string, { checked: number; failed: number }>();
  let failing = 0;
  let forgotAtMs = 0;

  function count({ org, isFailed }: LastResult, by: 1 | -1): void {
    const counts = orgs.get(org) ?? { checked: 0, failed: 0 };
    orgs.set(org, counts);
    const wasFailing = isFailing(counts);
    counts.checked += by;
    if (isFailed) counts.failed += by;
    failing += Number(isFailing(counts)) - Number(wasFailing);
    if (counts.checked === 0) orgs.delete(org);
  }

  function forget(id: string): void {
    const known = byMonitor.get(id);
    if (known !== undefined) count(known, -1);
    byMonitor.delete(id);
  }

  return {
    add(result: Pick<MonitorResult, 'monitorId' | 'outcome'>, org: string, nowMs: number): void {
      if (result.outcome === 'unknown') return;
      forget(result.monitorId);
      const last = { org, isFailed: isFailure(result), atMs: nowMs };
      byMonitor.set(result.monitorId, last);
      count(last, 1);
      if (nowMs - forgotAtMs < FORGET_EVERY_MS) return;
      forgotAtMs = nowMs;
      for (const [id, { atMs }] of byMonitor) if (nowMs - atMs > KEPT_MS) forget(id);
    },
    clear(): void {
      byMonitor.clear();
      orgs.clear();
      failing = 0;
    },
    counts: () => ({ checked: orgs.size, failed: failing }),
  };
}

function isFailing({ checked, failed }: { readonly checked: number; readonly failed: number }): boolean {
  return failed * 2 > checked;
}
