import type { RowDimension, SearchType } from './dimensions.ts';
import type { DayRange, PacificDay } from './pacific-day.ts';
import type { SearchRow } from './search-rows.ts';

/** One request for numbers. */
export interface NumbersRequest {
  readonly siteUrl: string;
  readonly range: DayRange;
  readonly type: SearchType;
  readonly dimension: 'date' | RowDimension;
  /** The first row of the page, from 0. */
  readonly startRow: number;
}

export interface NumbersPage {
  readonly rows: readonly SearchRow[];
  /** The first day of the range that the search engine still counts; null when it says nothing of the kind. */
  readonly firstIncomplete: PacificDay | null;
}

/** The search engine's numbers. */
export interface SearchAnalytics {
  /**
   * One page of rows, those that are not final included; a page without rows is the end.
   * @throws GOOGLE_PERMISSION without access to the property; RATE_LIMITED (retryable, `retryAfterSeconds`) and UNAVAILABLE
   *   (retryable) when waiting helps
   */
  query(request: NumbersRequest, signal: AbortSignal): Promise<NumbersPage>;
}
