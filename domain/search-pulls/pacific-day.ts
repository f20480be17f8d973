/** A day of the search engine, which counts in Pacific time: `2026-03-29`. */
export type PacificDay = string;

const DAY_MS = 86_400_000;
/** Made when first needed: the calendars that it reads take 7 MB of memory. */
let pacific: Intl.DateTimeFormat | undefined;

/** How long the search engine keeps the numbers of a day. */
export const KEPT_MONTHS = 16;

/** The day that it is now where the search engine counts. */
export function pacificDay(moment: Date): PacificDay {
  pacific ??= new Intl.DateTimeFormat('en-CA', {
    timeZone: 'America/Los_Angeles',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return pacific.format(moment);
}

/** @param count may be negative */
export function addDays(day: PacificDay, count: number): PacificDay {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}

/** How many days there are from the first to the last, both included. */
export function countDays({ from, to }: DayRange): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}

/** From the first to the last day, both included. */
export interface DayRange {
  readonly from: PacificDay;
  readonly to: PacificDay;
}

/** The days of a range, the first one first; none where it ends before it begins. */
export function daysOf({ from, to }: DayRange): readonly PacificDay[] {
  const count = Math.max(0, countDays({ from, to }));
  return Array.from({ length: count }, (_, index) => addDays(from, index));
}

/** The days whose numbers the search engine still has on that day. */
export function keptRange(today: PacificDay): DayRange {
  const first = new Date(today);
  const dayOfMonth = first.getUTCDate();
  first.setUTCDate(1);
  first.setUTCMonth(first.getUTCMonth() - KEPT_MONTHS);
  const lastOfMonth = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(dayOfMonth, lastOfMonth));
  return { from: first.toISOString().slice(0, 10), to: today };
}

/** True for text that is a day of the calendar: 30 February is none. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}
