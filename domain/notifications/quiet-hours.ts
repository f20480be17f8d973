import { type CalendarDay, dayAt, momentOf, nextDay, weekdayOf } from '../wall-clock.ts';

/** As {@link weekdayOf} counts them. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** What passes at once: what is as urgent as that, and what is more so. Nothing keeps back what is critical. */
export const PASSING = ['critical', 'warning'] as const;

/** A time of day, on some days, in which a channel is told what is urgent alone: the rest waits for its end. */
export interface QuietHours {
  /** `HH:MM`, 00:00 to 23:59. */
  readonly from: string;
  /** `HH:MM`, 00:01 to 24:00; of the next day where it is no later than `from`. */
  readonly to: string;
  /** Of the IANA database: they are by its clocks, in summer and in winter. */
  readonly timeZone: string;
  /** Those on which they begin; null: each day. */
  readonly weekdays: readonly Weekday[] | null;
  readonly passes: (typeof PASSING)[number];
}

const DAY_MS = 86_400_000;

/**
 * When the quiet hours end that run at a time: null while none do. Where the next ones begin as these end, it is the end of
 * the last of them.
 */
export function quietUntil(quiet: QuietHours, at: Date): Date | null {
  let until: number | null = null;
  for (const { beginsAt, endsAt } of windowsAround(quiet, at.getTime())) {
    const reached: number = until ?? at.getTime();
    if (beginsAt <= reached && reached < endsAt) until = endsAt;
  }
  return until === null ? null : new Date(until);
}

/** Why these hours can't be quiet hours, beginning with the name of the field; null for nothing. */
export function problemOfQuiet({ from, to, weekdays }: Pick<QuietHours, 'from' | 'to' | 'weekdays'>): string | null {
  if (from === to) return 'to: another time than from; for whole days 00:00 to 24:00';
  const isWholeDay = from === '00:00' && to === '24:00';
  if (isWholeDay && (weekdays === null || new Set(weekdays).size === WEEKDAYS.length)) {
    return 'weekdays: not all of them with 00:00 to 24:00, for they would never end; remove the channel to stop it';
  }
  return null;
}

interface QuietWindow {
  readonly beginsAt: number;
  readonly endsAt: number;
}

/** Those that begin from two days before to nine days after, by time: whole days may follow each other for six of these. */
function windowsAround({ from, to, timeZone, weekdays }: QuietHours, at: number): readonly QuietWindow[] {
  const [begin, end] = [minutesOf(from), minutesOf(to)];
  const last = at + 9 * DAY_MS;
  const found: QuietWindow[] = [];
  let day = dayAt(at - 2 * DAY_MS, timeZone);
  for (; Date.UTC(day.year, day.month - 1, day.day) <= last; day = nextDay(day)) {
    if (weekdays !== null && !weekdays.includes(nameOf(day))) continue;
    const endDay = end > begin ? day : nextDay(day);
    found.push({ beginsAt: momentOf(day, begin, timeZone), endsAt: momentOf(endDay, end, timeZone) });
  }
  return found;
}

function nameOf(day: CalendarDay): Weekday {
  return WEEKDAYS[weekdayOf(day)] ?? 'sun';
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
