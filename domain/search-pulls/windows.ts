import { FairleadError } from '../errors.ts';
import { addDays, countDays, type DayRange, isDay, type PacificDay } from './pacific-day.ts';

/** Windows whose numbers are rolled up after every pull (spec 3, `GET /api/search/:domain`). */
export const WINDOW_DAYS = [7, 28, 90] as const;
export type WindowDays = (typeof WINDOW_DAYS)[number];

/** The longest range that is answered: all that the search engine keeps. */
const MOST_DAYS = 500;

/** No search engine counted before; and the days before a range are days of the calendar as well. */
const FIRST_DAY: PacificDay = '2000-01-01';

/** A window ends with the last final day: a day that is still counted would look like a loss. */
export function windowRange(days: number, lastFinal: PacificDay): DayRange {
  return { from: addDays(lastFinal, 1 - days), to: lastFinal };
}

/** The same number of days, just before. */
export function priorRange(range: DayRange): DayRange {
  const length = countDays(range);
  return { from: addDays(range.from, -length), to: addDays(range.from, -1) };
}

/** @throws VALIDATION_FAILED for what is no day, is before there were numbers, ends before it begins, or is longer than the search engine keeps */
export function requireRange({ from, to }: DayRange): DayRange {
  for (const [field, day] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (!isDay(day)) throw invalid(field, 'give a day, such as 2026-03-29');
  }
  if (from < FIRST_DAY) throw invalid('from', `give a day from ${FIRST_DAY} on`);
  if (from > to) throw invalid('to', 'give a day that is not before `from`');
  if (countDays({ from, to }) > MOST_DAYS) throw invalid('from', `give at most ${MOST_DAYS} days`);
  return { from, to };
}

function invalid(field: string, message: string): FairleadError {
  return new FairleadError('VALIDATION_FAILED', `${field}: ${message}`, { details: [{ field, message }] });
}
