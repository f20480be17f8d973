import { type CalendarDay, weekdayOf } from '../wall-clock.ts';

/** A time of day on some days. */
export interface Cron {
  /** Of the day, since midnight. */
  readonly minutes: number;
  /** 1 to 31; null: whatever day it is. */
  readonly days: ReadonlySet<number> | null;
  /** 1 to 12 */
  readonly months: ReadonlySet<number> | null;
  /** 0 for Sunday to 6. */
  readonly weekdays: ReadonlySet<number> | null;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Field {
  readonly least: number;
  readonly most: number;
  readonly names: readonly string[];
}

/**
 * Five fields as cron(8) has them, of which the first two are one time of day: `minute hour day month weekday`, such as `30 3 * * sun`
 * or `0 22 1,15 * *`. The last three are lists of numbers, names, ranges and steps. Null for another text.
 */
export function parseCron(text: string): Cron | null {
  const fields = text.trim().toLowerCase().split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const [minuteOfHour, hourOfDay] = [oneOf(minute, 59), oneOf(hour, 23)];
  const days = setOf(day, { least: 1, most: 31, names: [] });
  const months = setOf(month, { least: 1, most: 12, names: MONTHS });
  // Sunday is 0 and 7.
  const weekdays = setOf(weekday, { least: 0, most: 7, names: WEEKDAYS });
  const isWhole = fields.length === 5 && minuteOfHour !== null && hourOfDay !== null;
  if (!isWhole || days === undefined || months === undefined || weekdays === undefined) return null;
  const minutes = hourOfDay * 60 + minuteOfHour;
  return { minutes, days, months, weekdays: weekdays && new Set([...weekdays].map((each) => each % 7)) };
}

/** Where both the day and the weekday are given, either is enough, as with cron. */
export function isCronDay({ days, months, weekdays }: Cron, day: CalendarDay): boolean {
  if (months !== null && !months.has(day.month)) return false;
  const [isDay, isWeekday] = [days?.has(day.day), weekdays?.has(weekdayOf(day))];
  if (isDay === undefined || isWeekday === undefined) return (isDay ?? true) && (isWeekday ?? true);
  return isDay || isWeekday;
}

function oneOf(text: string, most: number): number | null {
  const number = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return number <= most ? number : null;
}

/** Null for `*`, undefined for what is no list. */
function setOf(text: string, field: Field): ReadonlySet<number> | null | undefined {
  if (text === '*') return null;
  const ranges = text.split(',').map((part) => rangeOf(part, field));
  return ranges.includes(null) ? undefined : new Set(ranges.flatMap((range) => range ?? []));
}

function rangeOf(text: string, { least, most, names }: Field): readonly number[] | null {
  const match = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d{1,2}))?$/.exec(text);
  if (match === null) return null;
  const [, star, first = '', last, step] = match;
  const numberOf = (word: string): number => {
    const named = names.indexOf(word);
    return named === -1 ? (/^\d{1,2}$/.test(word) ? Number(word) : Number.NaN) : named + (names === MONTHS ? 1 : 0);
  };
  const from = star === undefined ? numberOf(first) : least;
  const open = step === undefined ? from : most;
  const to = star === undefined ? (last === undefined ? open : numberOf(last)) : most;
  const by = step === undefined ? 1 : Number(step);
  const isRange = least <= from && from <= to && to <= most && by > 0;
  return isRange ? Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by) : null;
}
