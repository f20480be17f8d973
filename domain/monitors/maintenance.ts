import { FairleadError } from '../errors.ts';

/** A time in which a monitor may fail: neither told nor counted. */
export interface MaintenanceWindow {
  /** Included. */
  readonly from: Date;
  /** Excluded. */
  readonly to: Date;
  readonly note: string | null;
}

const MOST_WINDOWS = 50;
const DAY_MS = 86_400_000;
/** A longer one is a pause. */
export const MOST_MAINTENANCE_DAYS = 31;
const MOST_DAYS_AHEAD = 366;
/** Clocks of people are off by as much. What has happened is not made maintenance afterwards. */
const MOST_BACKDATED_MS = 5 * 60_000;
/** For as long, results of a time may be rolled up again: its windows are needed. */
const KEPT_MS = 3 * DAY_MS;

export function isInMaintenance(windows: readonly MaintenanceWindow[], at: Date): boolean {
  return windows.some(({ from, to }) => from <= at && at < to);
}

/** Whether it is there already: whoever was not answered asks again. */
export function hasWindow(windows: readonly MaintenanceWindow[], { from, to, note }: MaintenanceWindow): boolean {
  return windows.some(
    (each) => each.from.getTime() === from.getTime() && each.to.getTime() === to.getTime() && each.note === note,
  );
}

/**
 * The times of maintenance with one more, oldest first, and without those that were over days ago. One that is there already is not added
 * again: the same list.
 * @throws VALIDATION_FAILED for one that begins in the past, is too long or too far ahead; CONFLICT when there are as many as
 *   there may be
 */
export function withWindow(
  windows: readonly MaintenanceWindow[],
  window: MaintenanceWindow,
  at: Date,
): readonly MaintenanceWindow[] {
  if (hasWindow(windows, window)) return windows;
  const problem = problemOf(window, at);
  if (problem !== null) throw new FairleadError('VALIDATION_FAILED', problem);
  const kept = windows.filter(({ to }) => to.getTime() > at.getTime() - KEPT_MS);
  if (kept.length >= MOST_WINDOWS) {
    const message = `A monitor has at most ${MOST_WINDOWS} times of maintenance; DELETE with planned=true withdraws those to come`;
    throw new FairleadError('CONFLICT', message);
  }
  return [...kept, window].sort((one, other) => one.from.getTime() - other.from.getTime());
}

function problemOf({ from, to }: MaintenanceWindow, at: Date): string | null {
  if (from.getTime() < at.getTime() - MOST_BACKDATED_MS) return 'from: a time that is not in the past';
  if (to <= at) return 'to: a time to come';
  if (to.getTime() - from.getTime() > MOST_MAINTENANCE_DAYS * DAY_MS) {
    return `to: at most ${MOST_MAINTENANCE_DAYS} days after from; pause the monitor for longer`;
  }
  return from.getTime() > at.getTime() + MOST_DAYS_AHEAD * DAY_MS ? 'from: a time within a year' : null;
}

/** The times of maintenance with those that run ended now. @param planned whether those to come are withdrawn as well */
export function withoutMaintenance(
  windows: readonly MaintenanceWindow[],
  { at, planned }: { readonly at: Date; readonly planned: boolean },
): readonly MaintenanceWindow[] {
  return windows.flatMap((window) => {
    if (window.from >= at) return planned ? [] : [window];
    return [window.to > at ? { ...window, to: at } : window];
  });
}
