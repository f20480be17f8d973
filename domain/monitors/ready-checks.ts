import { createOrgShares } from './org-shares.ts';
import { createPlaces } from './places.ts';
import type { ScheduledMonitor, SkippedChecks, StartedCheck } from './scheduled-monitor.ts';

/** A check whose time has come. */
export interface ReadyCheck extends Pick<ScheduledMonitor, 'id' | 'intervalMs' | 'host' | 'org'> {
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
  /** What the host of a monitor was resolved to, when it was checked last. */
  located(id: string, address: string): void;
  /** A check that began has ended. Again is no error. */
  release(id: string): void;
  isRunning(id: string): boolean;
  isEmpty(): boolean;
  skipped(): Pick<SkippedChecks, 'overdue' | 'crowded'>;
}

/** Checks of one host that run at once. Each org has its own places: it fills none that others need. */
export const MOST_OF_HOST = 20;
/**
 * Checks of one address that run at once, whatever names lead there: many sites share one. Each org has its own places here
 * too: all custom domains lead to the platform's router.
 */
export const MOST_OF_ADDRESS = 100;
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
  /** With its place at an address, once that is known. */
  const running = new Map<string, ReadyCheck & { readonly address: string | null }>();
  const addresses = new Map<string, string>();
  const [ofHost, ofAddress] = [createPlaces(MOST_OF_HOST), createPlaces(MOST_OF_ADDRESS)];
  const ofOrg = createOrgShares();
  const counts = { overdue: 0, crowded: 0 };

  const ofItsOrg = ({ org }: ReadyCheck, place: string): string => `${org ?? ''} ${place}`;
  const hostOf = (check: ReadyCheck): string => ofItsOrg(check, check.host);
  const addressOf = (check: ReadyCheck): string | null => {
    const address = check.org === null ? undefined : addresses.get(check.id);
    return address === undefined ? null : ofItsOrg(check, address);
  };
  const hasRoom = (check: ReadyCheck, nowMs: number): boolean =>
    running.size < MOST_RUNNING &&
    ofHost.hasRoom(hostOf(check)) &&
    ofAddress.hasRoom(addressOf(check)) &&
    (check.org === null || ofOrg.hasRoom(check.org, nowMs));
  const occupy = (check: ReadyCheck, nowMs: number): void => {
    const address = addressOf(check);
    running.set(check.id, { ...check, address });
    ofHost.occupy(hostOf(check));
    ofAddress.occupy(address);
    if (check.org !== null) ofOrg.occupy(check.org, nowMs);
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
      addresses.delete(id);
      waiting = waiting.filter((check) => check.id !== id);
    },
    begin(nowMs) {
      const started: StartedCheck[] = [];
      const left: ReadyCheck[] = [];
      for (const check of waiting) {
        const lateMs = nowMs - check.dueMs;
        const fits = hasRoom(check, nowMs);
        // Each turn that went by meanwhile counts.
        if (lateMs > mostLateMs(check))
          counts[fits ? 'overdue' : 'crowded'] += 1 + Math.floor(lateMs / check.intervalMs);
        else if (fits && started.length < MOST_AT_ONCE) {
          occupy(check, nowMs);
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
    located(id, address) {
      addresses.set(id, address);
      const check = running.get(id);
      if (check === undefined || check.org === null) return;
      const place = ofItsOrg(check, address);
      ofAddress.release(check.address);
      ofAddress.occupy(place);
      running.set(id, { ...check, address: place });
    },
    release(id) {
      const check = running.get(id);
      if (check === undefined) return;
      running.delete(id);
      ofHost.release(hostOf(check));
      ofAddress.release(check.address);
      if (check.org !== null) ofOrg.release(check.org);
    },
    isRunning: (id) => running.has(id),
    isEmpty: () => waiting.length === 0,
    skipped: () => ({ ...counts }),
  };
}
