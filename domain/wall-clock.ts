/** A day of a calendar on a wall. */
export interface CalendarDay {
  readonly year: number;
  /** 1 to 12 */
  readonly month: number;
  /** 1 to 31 */
  readonly day: number;
}

const DAY_MS = 86_400_000;
const ZONES: ReadonlySet<string> = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);
const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether a name is one of the IANA time zone database, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  return ZONES.has(name);
}

/** What a clock on a wall of the zone shows, as if it were UTC: milliseconds. */
function shownAt(at: number, timeZone: string): number {
  const format = formats.get(timeZone) ?? formatOf(timeZone);
  formats.set(timeZone, format);
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  return new Intl.DateTimeFormat('en-US', { ...numeric, second: 'numeric', timeZone, hourCycle: 'h23' });
}

export function dayAt(at: number, timeZone: string): CalendarDay {
  return dayOf(shownAt(at, timeZone));
}

export function nextDay({ year, month, day }: CalendarDay): CalendarDay {
  return dayOf(Date.UTC(year, month - 1, day) + DAY_MS);
}

function dayOf(shown: number): CalendarDay {
  const date = new Date(shown);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** 0 for Sunday to 6. */
export function weekdayOf({ year, month, day }: CalendarDay): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

/**
 * When it is that time there: milliseconds since 1970. A time that the clock shows twice is the first of both; one that it
 * leaves out is as much later as it leaves out.
 * @param minutes since midnight
 */
export function momentOf({ year, month, day }: CalendarDay, minutes: number, timeZone: string): number {
  const shown = Date.UTC(year, month - 1, day, 0, minutes);
  const aheadAt = (at: number): number => shownAt(at, timeZone) - at;
  const [before, after] = [shown - aheadAt(shown - DAY_MS), shown - aheadAt(shown + DAY_MS)];
  const right = [before, after].filter((at) => at + aheadAt(at) === shown);
  return right.length === 0 ? before : Math.min(...right);
}
