import { FairleadError } from '../../domain/errors.ts';
import { PAGE_ROWS } from '../../domain/search-pulls/dimensions.ts';
import type { PacificDay } from '../../domain/search-pulls/pacific-day.ts';
import { distinctRows, type SearchRow } from '../../domain/search-pulls/search-rows.ts';
import type { NumbersRequest, SearchAnalytics } from '../../domain/search-pulls/vendor-ports.ts';

/** More rows than the search engine shows of any day: who gives more, gives the same page again and again. */
const MOST_PAGES = 100;

/** What the search engine shows of a request. */
export interface ReadRows {
  /** Each key once. */
  readonly rows: readonly SearchRow[];
  /** How many rows the pages had, also those whose key came with two of them, as where a list moves while it is read. */
  readonly shown: number;
  readonly firstIncomplete: PacificDay | null;
}

/**
 * Reads all rows of a request. A page may be shorter than it could be without being the last one: only one without rows is.
 * @throws UNAVAILABLE (retryable) for a list without an end; what the search engine's port throws
 */
export async function readPages(
  analytics: SearchAnalytics,
  request: Omit<NumbersRequest, 'startRow'>,
  signal: AbortSignal,
): Promise<ReadRows> {
  const rows: SearchRow[] = [];
  let firstIncomplete: PacificDay | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await analytics.query({ ...request, startRow: rows.length }, signal);
    firstIncomplete ??= answer.firstIncomplete;
    if (answer.rows.length === 0) return { rows: distinctRows(rows), shown: rows.length, firstIncomplete };
    for (const row of answer.rows) rows.push(row);
  }
  const message = `The search engine's list of ${request.siteUrl} has no end (${MOST_PAGES} pages of up to ${PAGE_ROWS} rows)`;
  throw new FairleadError('UNAVAILABLE', message, { system: 'google', retryable: true });
}
