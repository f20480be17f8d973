import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = {
  periods: 'search_periods',
  parts: 'search_parts',
  windows: 'search_windows',
  windowTails: 'search_window_tails',
  runs: 'search_pull_runs',
  pulledProperties: 'search_pulled_properties',
} as const;

export const INDEXES: IndexTable = {
  // Periods and windows are found by their ids, which begin with the property and the type of search.
  // Has all that tells whether a part is a leftover: no rows are read for that.
  [COLLECTIONS.parts]: [{ key: { of: 1, pulledAt: 1, _id: 1 }, name: 'of_pulledAt_id' }],
  [COLLECTIONS.runs]: [{ key: { status: 1, startedAt: -1, _id: -1 }, name: 'status_startedAt' }],
};
