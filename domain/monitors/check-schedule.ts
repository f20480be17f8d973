import { nextTurn } from './check-phase.ts';
import { CONFIRM_AFTER_MS, type Outcome } from './check-result.ts';
import { createReadyChecks } from './ready-checks.ts';
import type { ScheduledMonitor, SkippedChecks, StartedCheck } from './scheduled-monitor.ts';
import { createTimerWheel, type TimerWheel } from './timer-wheel.ts';

/** When each monitor is checked. Times are milliseconds of a clock that nobody sets. */
export interface CheckSchedule {
  /** Adds monitors, or changes them: one whose interval stays keeps its turn. */
  set(monitors: readonly ScheduledMonitor[], nowMs: number): void;
  remove(ids: readonly string[]): void;
  /** What begins now, and when to ask again; null: when something changed. */
  take(nowMs: number): { readonly start: readonly StartedCheck[]; readonly wakeAtMs: number | null };
  /** What the host of a monitor was resolved to, while its check runs. */
  located(id: string, address: string): void;
  /** A check has ended. A changed outcome is confirmed soon. */
  ended(id: string, outcome: Outcome, nowMs: number): void;
  /** The database's clock is so far ahead of this one: after a jump of it, all turns are set anew. */
  anchor(aheadMs: number, nowMs: number): void;
  skipped(): SkippedChecks;
}

/** Smaller differences are the way of a reply, or a clock that is slewed. */
const JUMP_MS = 1_000;
/** New monitors begin one after the other. */
const NEW_EVERY_MS = 10;

interface Entry extends ScheduledMonitor {
  readonly lastOutcome: Outcome | null;
  /** Out of turn: the first check of a new monitor, or one that confirms. */
  readonly isExtra: boolean;
}

/** @param options.aheadMs of the database's clock before the schedule's */
export function createCheckSchedule({ aheadMs, nowMs }: { aheadMs: number; nowMs: number }): CheckSchedule {
  const entries = new Map<string, Entry>();
  const wheel = createTimerWheel(nowMs);
  const ready = createReadyChecks();
  let ahead = aheadMs;
  let overlapping = 0;

  const setTurn = ({ id, intervalMs }: Entry, now: number): void =>
    wheel.set(id, nextTurn(id, intervalMs, now + ahead) - ahead);

  function setOne(monitor: ScheduledMonitor, now: number, newBefore: number): boolean {
    const known = entries.get(monitor.id);
    const isNew = known === undefined && monitor.lastOutcome === null;
    const { lastOutcome, isExtra } = known ?? { lastOutcome: monitor.lastOutcome, isExtra: isNew };
    const entry = { ...monitor, lastOutcome, isExtra };
    entries.set(monitor.id, entry);
    if (known?.intervalMs !== monitor.intervalMs) setTurn(entry, now);
    if (isNew) bringForward(wheel, monitor.id, now + newBefore * NEW_EVERY_MS);
    return isNew;
  }

  function makeReady(now: number): void {
    for (const { key, dueMs } of wheel.takeDue(now)) {
      const entry = entries.get(key);
      if (entry === undefined) continue;
      setTurn(entry, now);
      if (ready.isRunning(key)) overlapping += 1;
      else ready.add({ ...entry, dueMs });
      entries.set(key, { ...entry, isExtra: false });
    }
  }

  return {
    set(monitors, now) {
      let added = 0;
      for (const monitor of monitors) if (setOne(monitor, now, added)) added += 1;
    },
    remove(ids) {
      for (const id of ids) {
        entries.delete(id);
        wheel.remove(id);
        ready.drop(id);
      }
    },
    take(now) {
      makeReady(now);
      const start = ready.begin(now);
      return { start, wakeAtMs: ready.isEmpty() ? wheel.wakeAtMs() : now + NEW_EVERY_MS };
    },
    located: (id, address) => ready.located(id, address),
    ended(id, outcome, now) {
      ready.release(id);
      const entry = entries.get(id);
      if (entry === undefined) return;
      const hasChanged = entry.lastOutcome === null ? outcome === 'failed' : outcome !== entry.lastOutcome;
      const isConfirmed = hasChanged && outcome !== 'unknown';
      const lastOutcome = outcome === 'unknown' ? entry.lastOutcome : outcome;
      entries.set(id, { ...entry, lastOutcome, isExtra: entry.isExtra || isConfirmed });
      if (isConfirmed) bringForward(wheel, id, now + CONFIRM_AFTER_MS);
    },
    anchor(aheadNow, now) {
      if (Math.abs(aheadNow - ahead) < JUMP_MS) return;
      ahead = aheadNow;
      for (const entry of entries.values()) if (!entry.isExtra) setTurn(entry, now);
    },
    skipped: () => ({ ...ready.skipped(), overlapping }),
  };
}

function bringForward(wheel: TimerWheel, id: string, dueMs: number): void {
  const planned = wheel.dueOf(id);
  if (planned === undefined || dueMs < planned) wheel.set(id, dueMs);
}
