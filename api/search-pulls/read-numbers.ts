import type { SearchType } from '../../domain/search-pulls/dimensions.ts';
import { addDays, type DayRange, pacificDay } from '../../domain/search-pulls/pacific-day.ts';
import { readRange } from '../../domain/search-pulls/read-range.ts';
import type { RangeNumbers } from '../../domain/search-pulls/search-window.ts';
import { requireRange, type WindowDays, windowRange } from '../../domain/search-pulls/windows.ts';
import type { SearchPullsDeps } from './deps.ts';

export interface AskedNumbers {
  readonly property: string;
  readonly type: SearchType;
  readonly period: { readonly days: WindowDays } | { readonly range: DayRange };
  readonly limit: number;
}

/**
 * The numbers of a window, as it was rolled up, or of a range, added up now.
 * @throws VALIDATION_FAILED for a range that is none; CONFLICT, UNAVAILABLE (retryable)
 */
export async function readNumbers(deps: SearchPullsDeps, asked: AskedNumbers): Promise<RangeNumbers> {
  const { property, type, period, limit } = asked;
  const series = { property, type };
  if ('range' in period) return await readRange(deps.searchRows, { series, range: requireRange(period.range), limit });
  const window = await deps.searchWindows.find(series, period.days, limit);
  if (window !== null) return window;
  // The first pull is under way, or there was none.
  const last = (await deps.searchRows.lastFinalDay(series)) ?? addDays(pacificDay(deps.now()), -1);
  return await readRange(deps.searchRows, { series, range: windowRange(period.days, last), limit });
}
