import type { Day } from './day-close.ts';

/** Days of the ledger are UTC: no clock change moves them. Nothing here reads a clock. */

const DAY_MS = 86_400_000;

export const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/;

/** The day a moment belongs to. */
export function dayOf(moment: Date | number): Day {
  return new Date(moment).toISOString().slice(0, 10);
}

/** True for `2024-02-29` and false for `2026-02-29`. */
export function isDay(text: string): boolean {
  if (!DAY_PATTERN.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00.000Z`);
  return !Number.isNaN(time) && dayOf(time) === text;
}

/** Its first moment; the day ends where the next one starts. */
export function startOfDay(day: Day): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

export function endOfDay(day: Day): Date {
  return startOfDay(addDays(day, 1));
}

/** @param count may be negative */
export function addDays(day: Day, count: number): Day {
  return dayOf(startOfDay(day).getTime() + count * DAY_MS);
}

/** Days since 1970-01-01: the id of the day's batch in the contract. */
export function dayNumber(day: Day): number {
  return startOfDay(day).getTime() / DAY_MS;
}

/** From the first to the last, both included; none when the last is before the first. */
export function daysBetween(first: Day, last: Day): readonly Day[] {
  const count = Math.max(0, dayNumber(last) - dayNumber(first) + 1);
  return Array.from({ length: count }, (_, index) => addDays(first, index));
}
