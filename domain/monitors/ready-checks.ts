import type { ScheduledMonitor, SkippedChecks, StartedCheck } from './scheduled-monitor.ts';

/** A check whose time has come. */
export interface ReadyCheck extends Pick<ScheduledMonitor, 'id' | 'intervalMs' | 'host'> {
  readonly dueMs: number;
  /** The first check of a new monitor, or one that confirms. */
  readonly isExtra: boolean;
}

/** Checks whose time has come, in order, until there is room for them. */
export interface ReadyChecks {
  add(check: ReadyCheck): void;
  /** A monitor that is checked no more. */
  drop(id: string): void;
  /** Those that begin now; what is too late is left out and counted. */
  begin(nowMs: number): readonly StartedCheck[];
  /** A check that began has ended. Again is no error. */
  release(id: string): void;
  isRunning(id: string): boolean;
  isEmpty(): boolean;
  skipped(): Pick<SkippedChecks, 'overdue' | 'crowded'>;
}

/** Checks of one host that run at once. */
export const MOST_OF_HOST = 20;
/** Checks that run at once: each is a socket. */
export const MOST_RUNNING = 4_000;
/** Checks that begin with one look: what waited while the process was busy does not begin all at once. */
const MOST_AT_ONCE = 25;

/** A check may be so late; later ones would come too near to the next. */
export function mostLateMs({ intervalMs, isExtra }: Pick<ReadyCheck, 'intervalMs' | 'isExtra'>): number {
  return isExtra ? intervalMs : Math.max(1_000, intervalMs / 10);
}

export function createReadyChecks(): ReadyChecks {
  let waiting: ReadyCheck[] = [];
  const isWaiting = new Set<string>();
  const hostOfRunning = new Map<string, string>();
  const ofHost = new Map<string, number>();
  const counts = { overdue: 0, crowded: 0 };

  const hasRoom = ({ host }: ReadyCheck): boolean =>
    hostOfRunning.size < MOST_RUNNING && (ofHost.get(host) ?? 0) < MOST_OF_HOST;
  const occupy = ({ id, host }: ReadyCheck): void => {
    hostOfRunning.set(id, host);
    ofHost.set(host, (ofHost.get(host) ?? 0) + 1);
  };

  return {
    add(check) {
      // It waited a whole interval.
      if (isWaiting.has(check.id)) counts.crowded += 1;
      else waiting.push(check);
      isWaiting.add(check.id);
    },
    drop(id) {
      isWaiting.delete(id);
      waiting = waiting.filter((check) => check.id !== id);
    },
    begin(nowMs) {
      const started: StartedCheck[] = [];
      const left: ReadyCheck[] = [];
      for (const check of waiting) {
        const lateMs = nowMs - check.dueMs;
        const fits = hasRoom(check);
        // Each turn that went by meanwhile counts.
        if (lateMs > mostLateMs(check))
          counts[fits ? 'overdue' : 'crowded'] += 1 + Math.floor(lateMs / check.intervalMs);
        else if (fits && started.length < MOST_AT_ONCE) {
          occupy(check);
          started.push({ id: check.id, lateMs });
        } else {
          left.push(check);
          continue;
        }
        isWaiting.delete(check.id);
      }
      waiting = left;
      return started;
    },
    release(id) {
      const host = hostOfRunning.get(id);
      if (host === undefined) return;
      hostOfRunning.delete(id);
      const count = (ofHost.get(host) ?? 0) - 1;
      if (count > 0) ofHost.set(host, count);
      else ofHost.delete(host);
    },
    isRunning: (id) => hostOfRunning.has(id),
    isEmpty: () => waiting.length === 0,
    skipped: () => ({ ...counts }),
  };
}
