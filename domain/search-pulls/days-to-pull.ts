import { addDays, type DayRange, daysOf, type PacificDay } from './pacific-day.ts';

/** What decides of a day that was pulled whether it is pulled again. */
export interface PulledBefore {
  readonly day: PacificDay;
  readonly isFinal: boolean;
  /** When its rows were begun to be read. */
  readonly pulledAt: Date;
}

/** Where the vendor does not say which days it still counts, those of the last days may change. */
const SETTLES_AFTER_DAYS = 4;

/**
 * Whether the numbers of a day will not change any more. The vendor names the first day that it still counts, when the
 * days that were asked for have one (`first_incomplete_date`); else a day is final once it is old enough.
 */
export function isFinalDay(day: PacificDay, firstIncomplete: PacificDay | null, today: PacificDay): boolean {
  const settled = addDays(today, -SETTLES_AFTER_DAYS);
  return day < (firstIncomplete ?? settled);
}

/**
 * The days of a range that are to be pulled, the newest first, as those are looked at most: days that never were, and
 * days that were not final and that nobody pulled since. A pull that was broken off goes on with `since` of the first
 * one, so that it pulls the remainder alone.
 */
export function daysToPull(range: DayRange, pulled: readonly PulledBefore[], since: Date): readonly PacificDay[] {
  const done = new Set(pulled.filter(({ isFinal, pulledAt }) => isFinal || pulledAt >= since).map(({ day }) => day));
  return daysOf(range)
    .filter((day) => !done.has(day))
    .reverse();
}
