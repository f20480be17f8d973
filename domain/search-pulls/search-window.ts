import type { RowDimension } from './dimensions.ts';
import type { DayRange, PacificDay } from './pacific-day.ts';
import type { SearchNumbers } from './search-numbers.ts';
import type { SearchRow } from './search-rows.ts';
import type { Series } from './stored-period.ts';
import type { WindowDays } from './windows.ts';

/** The most rows of a dimension that an answer has. */
export const MOST_TOP_ROWS = 1_000;

export interface DayNumbers extends SearchNumbers {
  readonly day: PacificDay;
  readonly isFinal: boolean;
}

/** The first rows of a dimension. */
export interface TopRows {
  readonly rows: readonly SearchRow[];
  /** Days of which the search engine may have shown some rows only: then the rows are too few, and their numbers too low. */
  readonly truncatedDays: number;
}

/** What is told of a range of days. Totals are those of the days: rows add up to less, as the search engine leaves some out. */
export interface RangeNumbers extends Series {
  readonly range: DayRange;
  readonly totals: SearchNumbers;
  readonly prior: { readonly range: DayRange; readonly totals: SearchNumbers; readonly days: number };
  /** Those that are stored. */
  readonly series: readonly DayNumbers[];
  readonly top: Readonly<Record<RowDimension, TopRows>>;
  /** The newest day that will not change any more. */
  readonly finalThrough: PacificDay | null;
}

/** The numbers of the last days, added up beforehand. */
export interface SearchWindow extends RangeNumbers {
  readonly days: WindowDays;
  readonly rolledUpAt: Date;
}
