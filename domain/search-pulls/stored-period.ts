import { isTruncated, ROW_DIMENSIONS, type RowDimension, type SearchType } from './dimensions.ts';
import type { DayRange, PacificDay } from './pacific-day.ts';
import { daysOf } from './pacific-day.ts';
import { bucketsFor } from './row-buckets.ts';
import { addNumbers, NO_NUMBERS, type SearchNumbers } from './search-numbers.ts';

/** Whose numbers, and of which type of search. */
export interface Series {
  /** Apex domain of the property. */
  readonly property: string;
  readonly type: SearchType;
}

/** A day as `2026-03-29`, or a month, made of its days, as `2026-03`. */
export type Period = string;

/** What a period has of one dimension. */
export interface StoredRows {
  readonly rows: number;
  /** How many parts the rows are stored in. */
  readonly buckets: number;
  /** Days of which the vendor may have shown some rows only. */
  readonly truncatedDays: number;
}

/** A day whose rows are stored, or a month that was added up of such days. */
export interface StoredPeriod extends Series {
  readonly period: Period;
  readonly isFinal: boolean;
  /** When its rows were begun to be read: what was read later replaces what was read earlier, and never the other way. */
  readonly pulledAt: Date;
  /** Under which its parts are stored. */
  readonly generation: string;
  readonly totals: SearchNumbers;
  readonly dimensions: Readonly<Record<RowDimension, StoredRows>>;
}

export type Month = string;

export const monthOf = (day: PacificDay): Month => day.slice(0, 7);

export const isMonth = ({ period }: Pick<StoredPeriod, 'period'>): boolean => period.length === 7;

/** The first to the last day of a month. */
export function rangeOfMonth(month: Month): DayRange {
  const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0));
  return { from: `${month}-01`, to: last.toISOString().slice(0, 10) };
}

/**
 * What a day has of a dimension of which so many rows were read.
 * @param shown how many the vendor showed, with those whose key it showed twice: its limit counts them
 */
export function storedRows(rows: number, shown = rows): StoredRows {
  return { rows, buckets: rows === 0 ? 0 : bucketsFor(rows), truncatedDays: isTruncated(shown) ? 1 : 0 };
}

/** One entry for each dimension of rows. */
export function byDimension<T>(make: (dimension: RowDimension) => T): Readonly<Record<RowDimension, T>> {
  return Object.fromEntries(ROW_DIMENSIONS.map((dimension) => [dimension, make(dimension)])) as Record<RowDimension, T>;
}

/** Months all of whose days are stored and final, and that are not added up yet: they will never change. */
export function monthsToRollUp(days: readonly StoredPeriod[], months: ReadonlySet<Month>): readonly Month[] {
  const final = new Set(days.filter(({ isFinal }) => isFinal).map(({ period }) => period));
  const candidates = new Set([...final].map(monthOf));
  return [...candidates]
    .filter((month) => !months.has(month) && daysOf(rangeOfMonth(month)).every((day) => final.has(day)))
    .sort();
}

/**
 * The stored periods that a range is added up of: whole months where there are some, days elsewhere. Each day of the range
 * that is stored is in one of them, and in one only.
 */
export function coverRange(
  { from, to }: DayRange,
  { days, months }: { readonly days: readonly StoredPeriod[]; readonly months: readonly StoredPeriod[] },
): readonly StoredPeriod[] {
  const whole = months.filter(({ period }) => {
    const month = rangeOfMonth(period);
    return month.from >= from && month.to <= to;
  });
  const covered = new Set(whole.map(({ period }) => period));
  const rest = days.filter(({ period }) => period >= from && period <= to && !covered.has(monthOf(period)));
  return [...whole, ...rest];
}

/** The totals of several periods together. */
export function totalsOf(periods: readonly StoredPeriod[]): SearchNumbers {
  return periods.reduce((sum, { totals }) => addNumbers(sum, totals), NO_NUMBERS);
}

/** Days of which some rows of a dimension may be missing. */
export function truncatedDaysOf(periods: readonly StoredPeriod[], dimension: RowDimension): number {
  return periods.reduce((sum, { dimensions }) => sum + dimensions[dimension].truncatedDays, 0);
}
